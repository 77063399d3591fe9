// @vitest-environment happy-dom
/** The choice of pairs: what is under a finger stays there while pairs are chosen and let go. */
import '../../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { PairPicker } from '../../../../../src/screens/agents/create/PairPicker.tsx';

afterEach(cleanup);

const OFFERED = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT'];

function Picker({ offered, first }: { offered: readonly string[]; first: string[] }) {
  const [chosen, setChosen] = useState(first);
  return (
    <>
      <PairPicker
        offered={offered}
        chosen={chosen}
        onChange={setChosen}
        error={undefined}
        hint=""
      />
      <output>{chosen.join(' ')}</output>
    </>
  );
}

const open = (first: string[] = [], offered: readonly string[] = OFFERED): void => {
  render(<Picker offered={offered} first={first} />);
};
const pairs = (): string[] =>
  within(screen.getByRole('group'))
    .getAllByRole('button')
    .map((button) => button.textContent)
    .filter((text) => text.includes('/'));
const press = (pair: string): void => {
  fireEvent.click(screen.getByRole('button', { name: pair }));
};
const chosen = (): string => screen.getByRole('status').textContent;

describe('the pairs of an agent', () => {
  it('keep their places while they are chosen and let go (F63)', () => {
    open();
    press('SOL/USDT');
    expect(pairs()).toEqual(OFFERED);
    press('ETH/USDT');
    press('SOL/USDT');
    expect(pairs()).toEqual(OFFERED);
    expect(chosen()).toBe('ETH/USDT');
  });

  it('that are no longer offered stand first, and one that is let go keeps its place (F63)', () => {
    open(['OLD/USDT', 'XRP/USDT', 'GONE/USDT']);
    const shown = ['OLD/USDT', 'GONE/USDT', ...OFFERED];
    expect(pairs()).toEqual(shown);
    press('OLD/USDT');
    expect(pairs()).toEqual(shown);
    expect(chosen()).toBe('XRP/USDT GONE/USDT');
  });

  it('stay in sight beyond the first sixty once they are chosen, and move none before them', () => {
    const many = Array.from({ length: 70 }, (_, index) => `C${index}/USDT`);
    open(['C65/USDT'], many);
    expect(pairs()).toEqual([...many.slice(0, 60), 'C65/USDT']);
    expect(screen.getByText('9 more. Search to find them.')).toBeTruthy();
    press('C65/USDT');
    expect(pairs()).toEqual([...many.slice(0, 60), 'C65/USDT']);
    fireEvent.change(screen.getByLabelText('Search pairs'), { target: { value: 'c69' } });
    press('C69/USDT');
    fireEvent.change(screen.getByLabelText('Search pairs'), { target: { value: '' } });
    expect(pairs().slice(60)).toEqual(['C65/USDT', 'C69/USDT']);
    expect(chosen()).toBe('C69/USDT');
  });
});
