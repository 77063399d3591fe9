/** The wallet's settings, parsed from the build's environment when the wallet is loaded. */
import * as z from 'zod/mini';
import { walletKitSettings, type WalletKitSettings } from './kit/kit-settings.ts';

/** An empty line of an .env file means "not set", so that a default can stand. */
const optional = <T extends z.ZodMiniType>(schema: T) =>
  z.pipe(
    z.transform((value: unknown) => (value === '' ? undefined : value)),
    z.optional(schema),
  );
/** True only when the text is exactly `true`. */
const flag = z.pipe(
  z._default(z.string(), ''),
  z.transform((value: string) => value === 'true'),
);
const defaultOn = z.pipe(
  optional(z.string()),
  z.transform((value: string | undefined) => value === undefined || value === 'true'),
);
const address = optional(
  z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hexadecimal digits')),
);
const webAddress = optional(
  z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
);
const text = optional(z.string());

const Environment = z.object({
  VITE_ENABLE_ANALYTICS: flag,
  VITE_ONCHAINKIT_ADDRESS: address,
  VITE_ONCHAINKIT_API_KEY: text,
  VITE_ONCHAINKIT_PROJECT_ID: text,
  VITE_ONCHAINKIT_RPC_URL: webAddress,
  VITE_ONCHAINKIT_SCHEMA_ID: text,
  VITE_ONCHAINKIT_ANALYTICS_URL: webAddress,
  VITE_ONCHAINKIT_PAYMASTER_URL: webAddress,
  VITE_WALLET_CHAIN: optional(z.enum(['base', 'base-sepolia'], 'must be base or base-sepolia')),
  VITE_WALLET_APP_NAME: text,
  VITE_WALLET_APP_LOGO: webAddress,
  VITE_WALLET_MODE: optional(z.enum(['auto', 'light', 'dark'], 'must be auto, light or dark')),
  VITE_WALLET_THEME: optional(
    z.enum(
      ['default', 'base', 'cyberpunk', 'hacker'],
      'must be default, base, cyberpunk or hacker',
    ),
  ),
  VITE_WALLET_DISPLAY: optional(z.enum(['classic', 'modal'], 'must be classic or modal')),
  VITE_WALLET_PREFERENCE: optional(
    z.enum(['all', 'smartWalletOnly', 'eoaOnly'], 'must be all, smartWalletOnly or eoaOnly'),
  ),
  VITE_WALLET_SIGN_UP: defaultOn,
  VITE_WALLET_TERMS_URL: webAddress,
  VITE_WALLET_PRIVACY_URL: webAddress,
  VITE_WALLET_RABBY: flag,
  VITE_WALLET_TRUST: flag,
  VITE_WALLET_FRAME: flag,
  VITE_WALLET_FUND_COUNTRY: optional(
    z.string().check(z.regex(/^[A-Z]{2}$/, 'must be a two-letter country code')),
  ),
  VITE_WALLET_FUND_SUBDIVISION: optional(
    z.string().check(z.regex(/^[A-Z0-9]{1,3}$/, 'must be a state or province code, such as NY')),
  ),
  VITE_WALLET_FUND_CURRENCY: optional(
    z.string().check(z.regex(/^[A-Z]{3}$/, 'must be a three-letter currency code')),
  ),
  VITE_WALLET_CHECKOUT_PRODUCT: text,
  VITE_WALLET_CHECKOUT_CHARGE: text,
  VITE_WALLET_NFT_CONTRACT: address,
  VITE_WALLET_NFT_TOKEN: optional(z.string().check(z.regex(/^\d+$/, 'must be a whole number'))),
});

/** What a panel needs besides the kit's own settings; null where it is not set. */
interface WalletParts {
  fund: { country: string; subdivision: string | null; currency: string };
  /** A product of the payment provider's, or one charge made there. */
  checkout: { productId: string | null; chargeId: string | null };
  nft: { contract: `0x${string}` | null; tokenId: string };
}

export interface WalletEnvironment {
  kit: WalletKitSettings;
  parts: WalletParts;
}

/** Omits what is not set, so that defaults apply. */
const present = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
const hex = (value: string | undefined) => value as `0x${string}` | undefined;

/**
 * The settings of the wallet: smart wallets alone and the product's name, where the build says
 * nothing else.
 * @throws Error that names the setting, or in the kit's words for a malformed schema id.
 */
export function readWalletEnvironment(source: Record<string, unknown>): WalletEnvironment {
  const parsed = Environment.safeParse(source);
  if (!parsed.success) {
    throw new Error(
      `Invalid wallet configuration: ${parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')}`,
    );
  }
  const e = parsed.data;
  const kit = walletKitSettings({
    ...present({
      address: hex(e.VITE_ONCHAINKIT_ADDRESS),
      apiKey: e.VITE_ONCHAINKIT_API_KEY,
      projectId: e.VITE_ONCHAINKIT_PROJECT_ID,
      rpcUrl: e.VITE_ONCHAINKIT_RPC_URL,
      schemaId: e.VITE_ONCHAINKIT_SCHEMA_ID,
      chainId: e.VITE_WALLET_CHAIN === 'base' ? (8453 as const) : undefined,
    }),
    config: {
      analytics: e.VITE_ENABLE_ANALYTICS,
      ...present({
        analyticsUrl: e.VITE_ONCHAINKIT_ANALYTICS_URL,
        paymaster: e.VITE_ONCHAINKIT_PAYMASTER_URL,
      }),
      appearance: {
        name: e.VITE_WALLET_APP_NAME ?? 'Tradewind',
        ...present({
          logo: e.VITE_WALLET_APP_LOGO,
          mode: e.VITE_WALLET_MODE,
          theme: e.VITE_WALLET_THEME,
        }),
      },
      wallet: {
        preference: e.VITE_WALLET_PREFERENCE ?? 'smartWalletOnly',
        signUpEnabled: e.VITE_WALLET_SIGN_UP,
        ...present({
          display: e.VITE_WALLET_DISPLAY,
          termsUrl: e.VITE_WALLET_TERMS_URL,
          privacyUrl: e.VITE_WALLET_PRIVACY_URL,
        }),
        supportedWallets: {
          rabby: e.VITE_WALLET_RABBY,
          trust: e.VITE_WALLET_TRUST,
          frame: e.VITE_WALLET_FRAME,
        },
      },
    },
  });
  return {
    kit,
    parts: {
      fund: {
        country: e.VITE_WALLET_FUND_COUNTRY ?? 'US',
        subdivision: e.VITE_WALLET_FUND_SUBDIVISION ?? null,
        currency: e.VITE_WALLET_FUND_CURRENCY ?? 'USD',
      },
      checkout: {
        productId: e.VITE_WALLET_CHECKOUT_PRODUCT ?? null,
        chargeId: e.VITE_WALLET_CHECKOUT_CHARGE ?? null,
      },
      nft: {
        contract: hex(e.VITE_WALLET_NFT_CONTRACT) ?? null,
        tokenId: e.VITE_WALLET_NFT_TOKEN ?? '1',
      },
    },
  };
}
