/** A right whose name nobody has seen in a real answer: its absence is told, and the key is taken. */
import { expect, it, onTestFinished } from 'vitest';
import type { KeyReport } from '../../contract/signer.ts';
import { openDeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers, ok } from '../support/signer/kraken-answers.ts';

const RIGHTS = ['query-funds', 'query-open-trades', 'query-closed-trades', 'modify-trades'];

it.each([
  ['without the right to cancel', RIGHTS, ['Cancel/Close Orders']],
  ['with it', [...RIGHTS, 'close-trades'], undefined],
])('a key of Kraken %s is taken, and says so', async (_what, permissions, notSeen) => {
  const world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: () => krakenAnswers({ GetApiKeyInfo: () => ok({ permissions, ipAllowlist: [] }) }),
  });
  onTestFinished(() => world.remove());
  const { value } = (await world.connect()) as { value: KeyReport };
  expect(value).toMatchObject({ accepted: true, faults: [] });
  expect(value.permissions?.notSeen).toEqual(notSeen);
});
