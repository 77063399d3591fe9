// @vitest-environment happy-dom
/** A popover whose code is still on the way when its button is pressed for the first time. */
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Popover } from '../../../src/components/Popover.tsx';

afterEach(cleanup);

it('opens over nothing that the person has gone on to meanwhile', async () => {
  render(
    <>
      <Popover button="Columns" buttonLabel="Columns">
        {() => <button type="button">Price</button>}
      </Popover>
      <input aria-label="Find" />
    </>,
  );
  const button = screen.getByRole('button', { name: 'Columns' });
  act(() => {
    button.focus();
  });
  fireEvent.click(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  expect(screen.queryByRole('button', { name: 'Price' })).toBeNull();
  act(() => {
    screen.getByLabelText('Find').focus();
  });
  expect(button.getAttribute('aria-expanded')).toBe('false');
  await act(() => import('../../../src/components/PopoverPanel.tsx'));
  await act(() => Promise.resolve());
  expect(screen.queryByRole('button', { name: 'Price' })).toBeNull();
  expect(document.activeElement).toBe(screen.getByLabelText('Find'));
  fireEvent.click(button);
  expect(await screen.findByRole('button', { name: 'Price' }, { timeout: 10_000 })).toBeTruthy();
});
