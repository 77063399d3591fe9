/** The kit's settings, with the kit's own defaults where the product sets nothing. */

/** Everything the kit may be given; addresses and ids are hex text. */
export interface WalletKitSettings {
  address: `0x${string}` | null;
  apiKey: string | null;
  /** 8453 is Base, 84532 Base Sepolia. */
  chainId: 8453 | 84532;
  rpcUrl: string | null;
  schemaId: `0x${string}`;
  projectId: string | null;
  sessionId: string;
  config: WalletKitConfig;
}

export interface WalletKitConfig {
  analytics: boolean;
  analyticsUrl: string | null;
  appearance: {
    name: string;
    logo: string | null;
    mode: 'auto' | 'light' | 'dark';
    theme: 'default' | 'base' | 'cyberpunk' | 'hacker';
  };
  paymaster: string | null;
  wallet: {
    display: 'classic' | 'modal';
    preference: 'all' | 'smartWalletOnly' | 'eoaOnly';
    signUpEnabled: boolean;
    termsUrl: string;
    privacyUrl: string;
    supportedWallets: { rabby: boolean; trust: boolean; frame: boolean };
  };
}

/** The kit's own: the attestation of a verified account. */
export const DEFAULT_SCHEMA_ID =
  '0xf8b05c79f090979bf4a80270aba232dff11a10d9ca55c4f88de95317970f0de9';
const BASE_SEPOLIA_ID = 84532;

type Partly<T> = { [K in keyof T]?: T[K] extends Record<string, unknown> ? Partly<T[K]> : T[K] };
export type WalletKitOverrides = Partly<Omit<WalletKitSettings, 'schemaId' | 'config'>> & {
  schemaId?: string;
  config?: {
    analytics?: boolean;
    analyticsUrl?: string;
    appearance?: Partial<WalletKitConfig['appearance']>;
    paymaster?: string;
    wallet?: Partial<Omit<WalletKitConfig['wallet'], 'supportedWallets'>> & {
      supportedWallets?: Partial<WalletKitConfig['wallet']['supportedWallets']>;
    };
  };
};

/** @throws Error in the kit's own words unless the id is 0x and exactly 64 hexadecimal digits. */
function checkedSchemaId(schemaId: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{64}$/.test(schemaId))
    throw new Error('EAS schemaId must be 64 characters prefixed with "0x"');
  return schemaId as `0x${string}`;
}

/** The settings with the kit's defaults filled in. */
export function walletKitSettings(wishes: WalletKitOverrides = {}): WalletKitSettings {
  const { config = {} } = wishes;
  return {
    address: wishes.address ?? null,
    apiKey: wishes.apiKey ?? null,
    chainId: wishes.chainId ?? BASE_SEPOLIA_ID,
    rpcUrl: wishes.rpcUrl ?? null,
    schemaId: checkedSchemaId(wishes.schemaId ?? DEFAULT_SCHEMA_ID),
    projectId: wishes.projectId ?? null,
    sessionId: wishes.sessionId ?? crypto.randomUUID(),
    config: {
      analytics: config.analytics ?? true,
      analyticsUrl: config.analyticsUrl ?? null,
      appearance: {
        name: 'Dapp',
        logo: null,
        mode: 'auto',
        theme: 'default',
        ...config.appearance,
      },
      paymaster: config.paymaster ?? null,
      wallet: {
        display: 'classic',
        preference: 'all',
        signUpEnabled: true,
        termsUrl: 'https://base.org/terms-of-service',
        privacyUrl: 'https://base.org/privacy-policy',
        ...config.wallet,
        supportedWallets: {
          rabby: false,
          trust: false,
          frame: false,
          ...config.wallet?.supportedWallets,
        },
      },
    },
  };
}
