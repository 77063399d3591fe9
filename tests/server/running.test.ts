/** The real server as a process: starts, refuses, survives, ends. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_EXIT } from '../../server/config.ts';
import { FOLDER_IN_USE_EXIT } from '../../server/db/folder-lock.ts';
import {
  callApi,
  CallFailed,
  createUser,
  freePort,
  refreshIdToken,
  signIn,
  startRefused,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';

let server: TestServer;
let alice: TestUser;
beforeAll(async () => {
  server = await startServer();
  alice = await createUser(server.url);
}, 150_000);
afterAll(() => server.stop());

const refusalOf = async (work: Promise<unknown>): Promise<CallFailed> => {
  const error: unknown = await work.then(
    () => new Error('accepted'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof CallFailed) return error;
  throw error as Error;
};

/** What an administrator does, at the emulator's own address. */
const administer = (body: Record<string, unknown>) =>
  fetch(
    `http://127.0.0.1:${server.env.AUTH_EMULATOR_PORT ?? ''}/identitytoolkit.googleapis.com/v1/projects/demo-tradewind/accounts:update`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
      body: JSON.stringify(body),
    },
  );

describe('a running server', () => {
  it('says that it is ready when it can serve, and to whom it asks', async () => {
    expect(server.logs()).toContain(`Tradewind ready on http://localhost:${server.port}`);
    expect(await callApi(server.url, null, 'readyz')).toMatchObject({
      app: 'tradewind',
      ready: true,
      parts: { database: 'ready' },
    });
  });

  it('gives a new person an account at their first call', async () => {
    expect((await callApi(server.url, alice.idToken, 'portfolio')).cash).toBe('10000');
  });

  it('refuses a second server on its data folder, by name and with an exit code of its own', async () => {
    const second = await startRefused({ DATA_DIR: server.dataDir });
    expect(second.code).toBe(FOLDER_IN_USE_EXIT);
    expect(second.output).toContain(
      `Another Tradewind server (process ${server.pid}) is using the data folder`,
    );
    expect((await callApi(server.url, null, 'readyz')).ready).toBe(true);
  });

  it('refuses a chosen emulator port that another program holds', async () => {
    const refused = await startRefused({ AUTH_EMULATOR_PORT: String(server.port) });
    expect([refused.code, refused.output]).toEqual([
      CONFIG_EXIT,
      expect.stringContaining('AUTH_EMULATOR_PORT: port'),
    ]);
  });

  it('refuses to start on the emulator in production (F32)', async () => {
    const refused = await startRefused({ NODE_ENV: 'production' });
    expect([refused.code, refused.output]).toEqual([
      CONFIG_EXIT,
      expect.stringContaining('ALLOW_EMULATOR_IN_PRODUCTION'),
    ]);
  });

  it('keeps users, sign-ins and refresh tokens through kill -9, right after the answer', async () => {
    const fresh = await createUser(server.url);
    await server.kill9();
    await server.restart();
    expect((await signIn(server.url, fresh.email, fresh.password)).uid).toBe(fresh.uid);
    const refreshed = await refreshIdToken(server.url, fresh.refreshToken);
    expect((await callApi(server.url, refreshed, 'portfolio')).cash).toBe('10000');
    // The token from before the kill is still good: its account is the same one.
    expect((await callApi(server.url, fresh.idToken, 'portfolio')).cash).toBe('10000');
    await expect(signIn(server.url, fresh.email, 'wrong password')).rejects.toThrow(
      'INVALID_PASSWORD',
    );
    const file = join(server.dataDir, 'auth-users.json');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(fresh.uid);
  }, 120_000);

  it('ends a session that was revoked, and one whose user was disabled, but lets a stop through', async () => {
    const mallory = await createUser(server.url);
    expect((await administer({ localId: mallory.uid, disableUser: true })).status).toBe(200);
    expect(await refusalOf(callApi(server.url, mallory.idToken, 'portfolio'))).toMatchObject({
      status: 401,
      code: 'token_revoked',
    });
    expect((await callApi(server.url, mallory.idToken, 'stopAll')).results).toEqual([]);
    const forged = `${mallory.idToken.split('.').slice(0, 2).join('.')}.c2lnbmVk`;
    expect((await refusalOf(callApi(server.url, forged, 'stopAll'))).code).toBe('invalid_token');
  });

  it('lets no other site use the emulator through its origin', async () => {
    const response = await fetch(
      `${server.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
        body: '{"email":"x@y.co","password":"secret12"}',
      },
    );
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ]);
  });

  it('ends on SIGTERM with everything closed, the emulator too', async () => {
    const port = await freePort();
    const other = await startServer({ env: { AUTH_EMULATOR_PORT: String(port) } });
    const stream = await fetch(`${other.url}/api/stream`, {
      headers: { authorization: `Bearer ${(await createUser(other.url)).idToken}` },
    });
    const read = stream.text().catch(() => 'cut');
    expect(await other.stop()).toBe(0);
    expect(await read).toContain('"type":"hello"');
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    expect(existsSync(join(other.dataDir, 'server.lock'))).toBe(false);
  }, 120_000);
});
