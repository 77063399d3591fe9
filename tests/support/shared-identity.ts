/**
 * One identity emulator for all files of a run, which starts in seconds of processor time; a server
 * that a test starts uses it unless that test is about an emulator of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '../../server/identity/emulator.ts';
import { SILENT } from '../../server/db/pglite.ts';

const PROJECT = 'demo-tradewind';
/** Where test files, each in a process of its own, find its port. */
export const SHARED_IDENTITY = 'SHARED_IDENTITY_PORT';

/**
 * It compiles its checks of a call when that comes for the first time, which takes a busy machine
 * longer than a server waits for an answer: the usual calls come once before the tests do.
 */
async function warmUp(baseUrl: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(`${baseUrl}/${path}?key=test`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(path.includes('/projects/') ? { authorization: 'Bearer owner' } : {}),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as Record<string, string>;
  };
  const accounts = 'identitytoolkit.googleapis.com/v1/accounts';
  const administered = `identitytoolkit.googleapis.com/v1/projects/${PROJECT}/accounts`;
  const email = 'first@example.com';
  const person = { email, password: 'correct horse 9', returnSecureToken: true };
  const { localId } = await ask(`${accounts}:signUp`, person);
  const { idToken, refreshToken } = await ask(`${accounts}:signInWithPassword`, person);
  await ask('securetoken.googleapis.com/v1/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  });
  await ask(`${accounts}:lookup`, { idToken });
  await ask(`${accounts}:update`, { idToken, displayName: 'First' });
  await ask(`${accounts}:sendOobCode`, { requestType: 'PASSWORD_RESET', email });
  await ask(`${administered}:lookup`, { localId: [localId] });
  await ask(`${administered}:update`, { localId, displayName: 'First' });
  await ask(`${accounts}:delete`, { idToken });
}

/** Vitest calls it before the first file of a run, and what it returns after the last. */
export default async function setup(): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tradewind-identity-'));
  const emulator = await startEmulator({
    projectId: PROJECT,
    dataDir,
    port: 0,
    portIsChosen: false,
    log: SILENT,
  });
  await warmUp(emulator.baseUrl);
  process.env[SHARED_IDENTITY] = String(emulator.port);
  return async () => {
    await emulator.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
