/**
 * SIGKILL at writes and sends of a server and a signer that are processes of their own: whoever
 * starts again finds all of it, sends nothing twice and sells nothing that it does not own.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBadKill, killAt, makeKillBase, type KillBase } from '../../support/live/kill-world.ts';

/** `npm run test:live-kills` takes every one of them. */
const POINTS = [
  ['server', 60],
  ['signer', 40],
] as const;

let base: KillBase;
beforeAll(async () => {
  base = await makeKillBase('kraken');
}, 120_000);
afterAll(() => {
  rmSync(base.folder, { recursive: true, force: true });
});

describe('kill −9', () => {
  it.each(POINTS)(
    'of the %s at its write or send %i leaves nothing doubled, lost or oversold (F71)',
    async (victim, at) => {
      const verdict = await killAt(base, victim, at);
      expect(verdict.killedAt).not.toBeNull();
      expect(isBadKill(verdict) ? verdict : null).toBeNull();
      // How far a run has come by then depends on the machine; that it traded does not.
      expect(verdict.fills).toBeGreaterThan(0);
    },
    180_000,
  );
});
