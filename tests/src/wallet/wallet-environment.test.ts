/** The wallet's settings as a build gives them. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_SCHEMA_ID } from '../../../src/wallet/kit/kit-settings.ts';
import { readWalletEnvironment } from '../../../src/wallet/wallet-environment.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const SCHEMA = `0x${'c'.repeat(64)}`;

describe("the wallet's environment", () => {
  it("is the kit's defaults where nothing is set, but for the product's name, smart wallets alone and no analytics (R3-15, R3-16, R3-17, R3-18)", () => {
    for (const source of [
      {},
      Object.fromEntries(
        [
          'ADDRESS',
          'API_KEY',
          'PROJECT_ID',
          'RPC_URL',
          'SCHEMA_ID',
          'ANALYTICS_URL',
          'PAYMASTER_URL',
        ].map((name) => [`VITE_ONCHAINKIT_${name}`, '']),
      ),
    ]) {
      const { kit, parts } = readWalletEnvironment(source);
      const { sessionId, ...rest } = kit;
      expect(sessionId).not.toBe('');
      expect(rest).toEqual({
        address: null,
        apiKey: null,
        chainId: 84532,
        rpcUrl: null,
        schemaId: DEFAULT_SCHEMA_ID,
        projectId: null,
        config: {
          analytics: false,
          analyticsUrl: null,
          appearance: { name: 'Tradewind', logo: null, mode: 'auto', theme: 'default' },
          paymaster: null,
          wallet: {
            display: 'classic',
            preference: 'smartWalletOnly',
            signUpEnabled: true,
            termsUrl: 'https://base.org/terms-of-service',
            privacyUrl: 'https://base.org/privacy-policy',
            supportedWallets: { rabby: false, trust: false, frame: false },
          },
        },
      });
      expect(parts).toEqual({
        fund: { country: 'US', subdivision: null, currency: 'USD' },
        checkout: { productId: null, chargeId: null },
        nft: { contract: null, tokenId: '1' },
      });
    }
  });

  it('has a setting for every field (R3-15, R3-16, R3-17, R3-18)', () => {
    const { kit, parts } = readWalletEnvironment({
      VITE_ENABLE_ANALYTICS: 'true',
      VITE_ONCHAINKIT_ADDRESS: ADDRESS,
      VITE_ONCHAINKIT_API_KEY: 'key',
      VITE_ONCHAINKIT_PROJECT_ID: 'project',
      VITE_ONCHAINKIT_RPC_URL: 'https://rpc.example.com/x',
      VITE_ONCHAINKIT_SCHEMA_ID: SCHEMA,
      VITE_ONCHAINKIT_ANALYTICS_URL: 'https://count.example.com',
      VITE_ONCHAINKIT_PAYMASTER_URL: 'https://pay.example.com',
      VITE_WALLET_CHAIN: 'base',
      VITE_WALLET_APP_NAME: 'Trade',
      VITE_WALLET_APP_LOGO: 'https://x.example.com/l.png',
      VITE_WALLET_MODE: 'dark',
      VITE_WALLET_THEME: 'hacker',
      VITE_WALLET_DISPLAY: 'modal',
      VITE_WALLET_PREFERENCE: 'eoaOnly',
      VITE_WALLET_SIGN_UP: 'false',
      VITE_WALLET_TERMS_URL: 'https://x.example.com/terms',
      VITE_WALLET_PRIVACY_URL: 'https://x.example.com/privacy',
      VITE_WALLET_RABBY: 'true',
      VITE_WALLET_TRUST: 'true',
      VITE_WALLET_FRAME: 'true',
      VITE_WALLET_FUND_COUNTRY: 'DE',
      VITE_WALLET_FUND_SUBDIVISION: 'BY',
      VITE_WALLET_FUND_CURRENCY: 'EUR',
      VITE_WALLET_CHECKOUT_PRODUCT: 'p',
      VITE_WALLET_CHECKOUT_CHARGE: 'c',
      VITE_WALLET_NFT_CONTRACT: ADDRESS,
      VITE_WALLET_NFT_TOKEN: '7',
    });
    expect(kit).toMatchObject({
      address: ADDRESS,
      apiKey: 'key',
      chainId: 8453,
      rpcUrl: 'https://rpc.example.com/x',
      schemaId: SCHEMA,
      projectId: 'project',
      config: {
        analytics: true,
        analyticsUrl: 'https://count.example.com',
        appearance: {
          name: 'Trade',
          logo: 'https://x.example.com/l.png',
          mode: 'dark',
          theme: 'hacker',
        },
        paymaster: 'https://pay.example.com',
        wallet: {
          display: 'modal',
          preference: 'eoaOnly',
          signUpEnabled: false,
          termsUrl: 'https://x.example.com/terms',
          privacyUrl: 'https://x.example.com/privacy',
          supportedWallets: { rabby: true, trust: true, frame: true },
        },
      },
    });
    expect(parts).toEqual({
      fund: { country: 'DE', subdivision: 'BY', currency: 'EUR' },
      checkout: { productId: 'p', chargeId: 'c' },
      nft: { contract: ADDRESS, tokenId: '7' },
    });
  });

  it("refuses a schema id that is too short, too long or not hexadecimal, in the kit's words (R5-28)", () => {
    for (const bad of [SCHEMA.slice(0, -1), `${SCHEMA}0`, `0x${'g'.repeat(64)}`, 'c'.repeat(66)]) {
      expect(() => readWalletEnvironment({ VITE_ONCHAINKIT_SCHEMA_ID: bad }), bad).toThrow(
        new Error('EAS schemaId must be 64 characters prefixed with "0x"'),
      );
    }
  });

  it('names the setting that is wrong', () => {
    const wrong: [string, string, string][] = [
      ['VITE_WALLET_CHAIN', 'ethereum', 'base or base-sepolia'],
      ['VITE_ONCHAINKIT_RPC_URL', 'ftp://x', 'an http or https address'],
      ['VITE_WALLET_NFT_CONTRACT', '0x12', '40 hexadecimal digits'],
      ['VITE_WALLET_FUND_COUNTRY', 'usa', 'a two-letter country code'],
      ['VITE_WALLET_DISPLAY', 'x', 'classic or modal'],
    ];
    for (const [name, value, message] of wrong)
      expect(() => readWalletEnvironment({ [name]: value })).toThrow(
        new RegExp(`Invalid wallet configuration: ${name} must be .*${message}`),
      );
  });

  it('takes a flag for true only when its text is exactly "true" (R5-25)', () => {
    for (const text of ['TRUE', '1', 'yes', ' true'])
      expect(
        readWalletEnvironment({ VITE_WALLET_RABBY: text }).kit.config.wallet.supportedWallets.rabby,
        text,
      ).toBe(false);
  });
});
