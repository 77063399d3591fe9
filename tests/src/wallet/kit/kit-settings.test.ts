/** What the wallet kit and its connections are told. */
import { describe, expect, it } from 'vitest';
import { cookieStorage } from '../../../../src/wallet/connect/cookie-storage.ts';
import { DEFAULT_SCHEMA_ID, walletKitSettings } from '../../../../src/wallet/kit/kit-settings.ts';
import {
  walletRemembered,
  WALLET_STORAGE_KEY,
} from '../../../../src/wallet/connect/remembered-wallet.ts';

describe('the wallet kit', () => {
  it("has the kit's own defaults for everything nobody set (R3-15, R3-16, R3-17, R3-18)", () => {
    const { sessionId, ...settings } = walletKitSettings();
    expect(sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(settings).toEqual({
      address: null,
      apiKey: null,
      chainId: 84532,
      rpcUrl: null,
      schemaId: DEFAULT_SCHEMA_ID,
      projectId: null,
      config: {
        analytics: true,
        analyticsUrl: null,
        appearance: { name: 'Dapp', logo: null, mode: 'auto', theme: 'default' },
        paymaster: null,
        wallet: {
          display: 'classic',
          preference: 'all',
          signUpEnabled: true,
          termsUrl: 'https://base.org/terms-of-service',
          privacyUrl: 'https://base.org/privacy-policy',
          supportedWallets: { rabby: false, trust: false, frame: false },
        },
      },
    });
  });

  it('keeps the other defaults where one part is set', () => {
    const { config } = walletKitSettings({
      config: { wallet: { display: 'modal', supportedWallets: { rabby: true } } },
    });
    expect(config.wallet).toMatchObject({
      display: 'modal',
      preference: 'all',
      supportedWallets: { rabby: true, trust: false, frame: false },
    });
  });

  it('takes a schema id of 0x and exactly 64 hexadecimal digits (R5-28)', () => {
    const good = `0x${'aF0'.repeat(21)}9`;
    expect(walletKitSettings({ schemaId: good }).schemaId).toBe(good);
    for (const bad of [
      '',
      '0x',
      good.slice(0, -1),
      `${good}0`,
      good.slice(2),
      `0x${'g'.repeat(64)}`,
      ` ${good}`,
    ]) {
      expect(() => walletKitSettings({ schemaId: bad }), bad).toThrow(
        new Error('EAS schemaId must be 64 characters prefixed with "0x"'),
      );
    }
  });
});

/** A cookie jar as a browser keeps it: one entry a name, attributes not given back. */
function jar(secureSite: boolean) {
  const kept = new Map<string, string>();
  const written: string[] = [];
  return {
    written,
    get cookie() {
      return [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(text: string) {
      written.push(text);
      const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
      if (attributes.includes('secure') && !secureSite) return;
      const at = pair.indexOf('=');
      if (attributes.includes('max-age=0')) kept.delete(pair.slice(0, at));
      else kept.set(pair.slice(0, at), pair.slice(at + 1));
    },
  };
}

describe("the connection's cookie", () => {
  it('gives back what was stored, semicolons and all, and forgets on request (R4-19)', () => {
    const site = jar(true);
    const storage = cookieStorage(site, false);
    const value = '{"a":"1; path=/; 2","b":"=é"}';
    storage.setItem('wallet.store', value);
    storage.setItem('wallet.other', 'x');
    expect(storage.getItem('wallet.store')).toBe(value);
    storage.removeItem('wallet.store');
    expect([storage.getItem('wallet.store'), storage.getItem('wallet.other')]).toEqual([null, 'x']);
  });

  it('stays on secure connections where the build says so (R3-29)', () => {
    const site = jar(false);
    cookieStorage(site, true).setItem('k', 'v');
    expect(site.written[0]).toMatch(/; secure$/);
    expect(site.cookie).toBe('');
    cookieStorage(site, false).setItem('k', 'v');
    expect(site.written[1]).not.toContain('secure');
    expect(site.cookie).toBe('k=v');
  });

  it('tells a screen that a wallet was here without loading it', () => {
    expect(walletRemembered('')).toBe(false);
    expect(
      walletRemembered(`${WALLET_STORAGE_KEY}.store=1; x=${WALLET_STORAGE_KEY}.recentConnectorId=`),
    ).toBe(false);
    expect(walletRemembered(`a=1; ${WALLET_STORAGE_KEY}.recentConnectorId=coinbaseWalletSDK`)).toBe(
      true,
    );
  });
});
