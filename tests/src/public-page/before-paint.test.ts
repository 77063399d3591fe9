// @vitest-environment happy-dom
/** What a page from the build marks before its first picture, by what the device keeps. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SESSION_MAX_AGE_MS } from '../../../contract/limits.ts';
import { writeClockOffset, writeLastUser } from '../../../src/identity/last-user.ts';

const { documentElement: root } = document;
const marked = (): string[] => root.getAttributeNames().filter((name) => name.startsWith('data-'));

async function marks(): Promise<Record<string, string | null>> {
  for (const name of marked()) root.removeAttribute(name);
  vi.resetModules();
  await import('../../../src/public-page/before-paint.ts');
  return Object.fromEntries(marked().map((name) => [name, root.getAttribute(name)]));
}
const signedIn = (agoMs: number): void => {
  writeLastUser({
    uid: 'uid-1',
    email: null,
    lastSignInTime: new Date(Date.now() - agoMs).toUTCString(),
  });
};

beforeEach(() => {
  localStorage.clear();
});

describe('the first script of a page from the build', () => {
  it('marks nothing for a visitor', async () => {
    expect(await marks()).toEqual({});
  });

  it('knows a person by the record that the app writes, and whether the sign-in is over', async () => {
    signedIn(60_000);
    expect(await marks()).toEqual({ 'data-known': '', 'data-signed-in': '' });
    signedIn(SESSION_MAX_AGE_MS + 60_000);
    expect(await marks()).toEqual({ 'data-known': '' });
  });

  it("goes by the server's clock as last learnt", async () => {
    signedIn(60_000);
    writeClockOffset(SESSION_MAX_AGE_MS);
    expect(await marks()).toEqual({ 'data-known': '' });
  });

  it('lays on the appearance that the app keeps', async () => {
    localStorage.setItem('tradewind.appearance', '{"theme":"dark","gain":"blue","rows":"roomy"}');
    expect(await marks()).toEqual({
      'data-theme': 'dark',
      'data-gain': 'blue',
      'data-rows': 'roomy',
    });
  });

  it('takes what does not read for a visitor', async () => {
    localStorage.setItem('tradewind.lastUser', 'not json');
    expect(await marks()).toEqual({});
    localStorage.setItem('tradewind.lastUser', '{"uid":7}');
    expect(await marks()).toEqual({});
  });
});
