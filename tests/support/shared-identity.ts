/**
 * One identity emulator for all files of a run, which starts in seconds of processor time; a server
 * that a test starts uses it unless that test is about an emulator of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '../../server/identity/emulator.ts';
import { SILENT } from '../../server/db/pglite.ts';

/** Where test files, each in a process of its own, find its port. */
export const SHARED_IDENTITY = 'SHARED_IDENTITY_PORT';

/** Vitest calls it before the first file of a run, and what it returns after the last. */
export default async function setup(): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tradewind-identity-'));
  const emulator = await startEmulator({
    projectId: 'demo-tradewind',
    dataDir,
    port: 0,
    portIsChosen: false,
    log: SILENT,
  });
  process.env[SHARED_IDENTITY] = String(emulator.port);
  return async () => {
    await emulator.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
