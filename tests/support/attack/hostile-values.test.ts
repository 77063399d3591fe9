/** What the fuzzer makes of a body: another one, and always one that can be sent. */
import { expect, it } from 'vitest';
import { random } from '../tape.ts';
import { disturbed } from './hostile-values.ts';

it('disturbs every part of a body, lists among them, into JSON that differs', () => {
  const body = { name: 'Drift', pairs: ['BTC/USDT', 'ETH/USDT'] };
  const roll = random(1);
  const sent = Array.from({ length: 3_000 }, () => JSON.stringify(disturbed(body, roll)));
  expect(sent).not.toContain(undefined);
  expect(sent.filter((one) => one === JSON.stringify(body)).length).toBeLessThan(30);
  expect(
    sent.some((one) => one.includes('"ETH/USDT",')),
    'a list grows',
  ).toBe(true);
});
