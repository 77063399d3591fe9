/** What the provider says of a person's logins, asked of the emulator by the server's own library. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readJwt } from '../../../contract/jwt.ts';
import { FirebaseAdministration } from '../../../server/identity/administration.ts';
import { startEmulator, type RunningEmulator } from '../../../server/identity/emulator.ts';
import { silentLog } from '../../support/app.ts';

const PROJECT = 'demo-tradewind';
const PASSWORD = 'correct horse 9';
const dataDir = mkdtempSync(join(tmpdir(), 'tradewind-administration-'));
let emulator: RunningEmulator;
let people: FirebaseAdministration;

beforeAll(async () => {
  emulator = await startEmulator({
    projectId: PROJECT,
    dataDir,
    port: 0,
    portIsChosen: false,
    log: silentLog,
  });
  people = new FirebaseAdministration(PROJECT, new URL(emulator.baseUrl).host, silentLog);
  // It compiles its checks of a call at the first, which may take longer than the server waits.
  await ask(`projects/${PROJECT}/accounts:lookup`, { localId: ['nobody'] }, true);
});
afterAll(async () => {
  // The library knows no other way to be told of an emulator; the next test file has none.
  delete process.env.FIREBASE_AUTH_EMULATOR_HOST;
  await emulator.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const API = 'identitytoolkit.googleapis.com/v1';
async function ask(path: string, body: object, isAdministrator = false) {
  const response = await fetch(`${emulator.baseUrl}/${API}/${path}?key=test`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(isAdministrator ? { authorization: 'Bearer owner' } : {}),
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, string>;
}
const issuedAtMs = (token = ''): number =>
  ((readJwt(token)?.claims as { iat?: number } | undefined)?.iat ?? 0) * 1_000;
const nextSecond = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1_100);
  });
async function signUp(email: string) {
  const { localId: uid = '', idToken = '' } = await ask('accounts:signUp', {
    email,
    password: PASSWORD,
    returnSecureToken: true,
  });
  return { uid, idToken, email };
}

it('says that a reset of the password ended the logins before it, and not the one after', async () => {
  const { uid, idToken, email } = await signUp('reset@example.com');
  expect(issuedAtMs(idToken)).toBeGreaterThanOrEqual((await people.validSince(uid)) ?? Infinity);
  await nextSecond();
  const { oobCode } = await ask(
    'accounts:sendOobCode',
    { requestType: 'PASSWORD_RESET', email, returnOobLink: true },
    true,
  );
  await ask('accounts:resetPassword', { oobCode, newPassword: 'new horse 10' });
  const since = (await people.validSince(uid)) ?? 0;
  expect(issuedAtMs(idToken)).toBeLessThan(since);
  const again = await ask('accounts:signInWithPassword', {
    email,
    password: 'new horse 10',
    returnSecureToken: true,
  });
  expect(issuedAtMs(again.idToken)).toBeGreaterThanOrEqual(since);
});

it('says that the login which changed the password goes on with the token it got for that', async () => {
  const { uid, idToken } = await signUp('change@example.com');
  await nextSecond();
  const changed = await ask('accounts:update', {
    idToken,
    password: 'new horse 10',
    returnSecureToken: true,
  });
  const since = (await people.validSince(uid)) ?? 0;
  expect(issuedAtMs(idToken)).toBeLessThan(since);
  expect(issuedAtMs(changed.idToken)).toBeGreaterThanOrEqual(since);
});

it('says that nobody is logged in with an account that is disabled or unknown', async () => {
  const { uid } = await signUp('gone@example.com');
  await ask(`projects/${PROJECT}/accounts:update`, { localId: uid, disableUser: true }, true);
  expect(await people.validSince(uid)).toBeNull();
  expect(await people.validSince('nobody')).toBeNull();
});
