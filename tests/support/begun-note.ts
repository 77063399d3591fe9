/** What a card of the wallet notes of what it began, as a person meets it. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect } from 'vitest';

/** Not beside the card that began it; after a change of tab and a reload, until it is dismissed. */
export async function staysUntilDismissed(
  note: RegExp,
  tab: string,
  { show, open }: { show: (tab: string) => Promise<void>; open: () => Promise<void> },
): Promise<void> {
  expect(screen.queryByText(note)).toBeNull();
  await show('Checkout');
  await show(tab);
  await screen.findByText(note);
  cleanup();
  await open();
  await screen.findByText(note);
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => {
    expect(screen.queryByText(note)).toBeNull();
  });
}
