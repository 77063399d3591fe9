/**
 * A person's account in real Chromium over the real server and its identity emulator: come by a
 * link, change, end everywhere, delete.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CALLABLES,
  type CallableName,
  type CallableReply,
  type CallableRequest,
} from '../../contract/callables.ts';
import { openBrowser, type Browser } from '../support/browser.ts';
import { holdKey } from '../support/hold.ts';
import { everythingOf } from '../support/device.ts';
import { callApi, createUser, signIn, startServer, type TestServer } from '../support/server.ts';
import { fillLogIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'correct horse 9';
let server: TestServer;
let browser: Browser;
let page: Page;
let email = `comes-by-link-${Date.now()}@example.com`;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer({ ownIdentity: true }), openBrowser()]);
  page = await browser.page();
}, 240_000);
afterAll(async () => {
  await browser.close();
  await server.stop();
});

async function hosted<N extends CallableName>(
  token: string,
  name: N,
  data: CallableRequest<N>,
): Promise<CallableReply<N>> {
  const response = await fetch(`${server.url}/callable/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ data }),
  });
  return CALLABLES[name].reply.parse(
    ((await response.json()) as { result: unknown }).result,
  ) as CallableReply<N>;
}

const holdNamed = async (name: string): Promise<void> => {
  await page.getByRole('button', { name: `${name}. Hold to confirm.` }).focus();
  await holdKey(page, 'Enter');
};
const logIn = async (): Promise<void> => {
  await page.goto(`${server.url}/login?next=/security`);
  await fillLogIn(page, { email, password: PASSWORD });
  await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
};

describe('an account, from the link to its end', () => {
  it('comes by a link, and the inviter sees that somebody joined (R2-03, R2-13)', async () => {
    const inviter = await createUser(server.url);
    const { code } = await hosted(inviter.idToken, 'referral', {});
    await page.goto(`${server.url}/ref/${code}`);
    await page.getByText(`Invited with code ${code}`).waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/getting-started');
    await until(
      () => hosted(inviter.idToken, 'referral', {}),
      ({ joinedCount }) => joinedCount === 1,
    );
    await until(
      () => page.evaluate(() => localStorage.getItem('tradewind.referral')),
      (kept) => kept === null,
    );
  }, 120_000);

  it('keeps no figure on the device once its person says so (R2-19)', async () => {
    await page.goto(`${server.url}/portfolio`);
    await until(
      () => everythingOf(page),
      (kept) => kept.includes('equityCurve'),
    );
    await page.goto(`${server.url}/security`);
    await page.getByRole('switch', { name: 'Available offline' }).click();
    await until(
      () => everythingOf(page),
      (kept) => !kept.includes('equityCurve'),
    );
    await page.goto(`${server.url}/portfolio`);
    await page.getByRole('heading', { level: 1, name: 'Portfolio' }).waitFor();
    expect(await everythingOf(page)).not.toMatch(
      /equityCurve|positionsValue|riskProfile|entitledTier/,
    );
  }, 120_000);

  it('has another address once the link sent there is opened, and not before (R7-28)', async () => {
    const before = await signIn(server.url, email, PASSWORD);
    await page.goto(`${server.url}/security`);
    await page.getByRole('button', { name: 'Change email' }).click();
    await page.getByLabel('Current password').fill(PASSWORD);
    const next = `moved-${Date.now()}@example.com`;
    await page.getByLabel('New email').fill(next);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('Open it to confirm your new email').waitFor();
    const sent = (await (
      await fetch(
        `http://127.0.0.1:${server.env.AUTH_EMULATOR_PORT}/emulator/v1/projects/demo-tradewind/oobCodes`,
        { headers: { authorization: 'Bearer owner' } },
      )
    ).json()) as { oobCodes: { oobLink: string; requestType: string }[] };
    const link =
      sent.oobCodes.find(({ requestType }) => requestType === 'VERIFY_AND_CHANGE_EMAIL')?.oobLink ??
      '';
    await signIn(server.url, email, PASSWORD);
    expect((await fetch(link)).status).toBe(200);
    await expect(signIn(server.url, email, PASSWORD)).rejects.toThrow();
    email = next;
    const after = await signIn(server.url, email, PASSWORD);
    expect(after.uid).toBe(before.uid);
  }, 120_000);

  it("is signed out everywhere: other devices' tokens are refused and their streams end at once, this one forgets (R2-19, R7-28)", async () => {
    const other = await signIn(server.url, email, PASSWORD);
    const stream = await fetch(`${server.url}/api/stream`, {
      headers: { authorization: `Bearer ${other.idToken}` },
    });
    let heard = '';
    const ended = (async () => {
      for await (const piece of stream.body as unknown as AsyncIterable<Uint8Array>)
        heard += Buffer.from(piece).toString('utf8');
    })();
    await until(
      () => Promise.resolve(heard),
      (text) => text.includes('hello'),
    );
    const issuedS = Math.floor(Date.now() / 1_000);
    // The provider counts in seconds: a sign-in of the same one would count as the later.
    await until(
      () => Promise.resolve(Math.floor(Date.now() / 1_000)),
      (nowS) => nowS > issuedS,
    );
    await page.goto(`${server.url}/security`);
    await holdNamed('Log out everywhere');
    await ended;
    expect(heard).toContain('"reason":"token_revoked"');
    await expect(callApi(server.url, other.idToken, 'agents')).rejects.toMatchObject({
      code: 'token_revoked',
    });
    await page.waitForURL('**/login');
    expect(await everythingOf(page)).not.toContain(email);
  }, 120_000);

  it('is deleted with its identity, and nothing of it stays on the server or the device (R2-19)', async () => {
    await logIn();
    const { idToken, uid } = await signIn(server.url, email, PASSWORD);
    await page.goto(`${server.url}/settings#data`);
    await page.getByRole('button', { name: 'Delete account…' }).click();
    await page.getByText('You have no plan to cancel.').waitFor();
    await page.getByLabel('Type DELETE to confirm').fill('DELETE');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByText('Your account is deleted.').waitFor();
    await expect(callApi(server.url, idToken, 'agents')).rejects.toMatchObject({
      code: 'token_revoked',
    });
    await expect(signIn(server.url, email, PASSWORD)).rejects.toThrow('EMAIL_NOT_FOUND');
    expect(readFileSync(join(server.dataDir, 'auth-users.json'), 'utf8')).not.toContain(uid);
    await until(
      () => everythingOf(page),
      (kept) => !kept.includes(uid),
    );
    expect(await everythingOf(page)).not.toContain(email);
  }, 120_000);
});
