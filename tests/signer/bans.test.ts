/** Bans outlive the process that was given them. */
import { afterEach, expect, it } from 'vitest';
import type { Answer } from '../support/signer/answer-server.ts';
import { openDeskWorld, type DeskWorld } from '../support/signer/desk-world.ts';
import { failed, KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';

let world: DeskWorld;
afterEach(() => world.remove());

const open = (balance: () => Answer | null, more: object = {}) =>
  openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => {
      const usual = krakenAnswers({}, () => clock.now());
      return (asked) => (asked.path.endsWith('/BalanceEx') ? balance() : null) ?? usual(asked);
    },
    ...more,
  });
const balances = () =>
  world.desk.answer({ act: 'balances', connectionId: world.connectionId }) as Promise<{
    kind: string;
    code?: string;
  }>;
const banned = { kind: 'refused', code: 'exchange_ban' };

/** The signer was killed, and a new one runs on the same folder. */
async function restart(): Promise<void> {
  const { folder, clock } = world;
  await world.close();
  world = await open(() => null, { folder, clock });
}

it.each([
  ['of the address', { status: 429, headers: { 'retry-after': '120' }, body: '' }],
  ['of a key', failed('EAPI:Rate limit exceeded')],
])('the end of a ban %s is waited for after a restart (F73)', async (_what, answer) => {
  let isBanning = false;
  world = await open(() => (isBanning ? answer : null));
  await world.connect();
  world.clock.at += 60_000;
  expect(await balances()).toMatchObject({ kind: 'read' });
  isBanning = true;
  await balances();
  expect(await balances()).toMatchObject(banned);
  await restart();
  world.server.asked.length = 0;
  expect(await balances()).toMatchObject(banned);
  expect(world.server.asked.filter(({ path }) => path.includes('/private/'))).toEqual([]);
  world.clock.at += 121_000;
  expect(await balances()).toMatchObject({ kind: 'read' });
});
