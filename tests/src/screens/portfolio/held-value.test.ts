/** Buy-and-hold beside an account, and the reason where there is none. */
import { expect, it } from 'vitest';
import { heldOf, whyNotHeld } from '../../../../src/screens/portfolio/held-value.ts';

it('says why it is missing: no price at the source, or prices that did not come', () => {
  const unread = { benchmark: null, benchmarkUnread: true } as const;
  expect(heldOf(unread)).toBeNull();
  expect(whyNotHeld(unread, 'USD')).toBe('Buy-and-hold prices unavailable right now');
  expect(whyNotHeld({ benchmark: null }, 'USD')).toBe('No BTC/USD price yet');
  expect(whyNotHeld(null, 'USD')).toBe('Buy-and-hold not loaded yet');
});
