/**
 * The environment, parsed once into the server's configuration. Unsafe combinations must be allowed
 * explicitly.
 */
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { PaidTier } from '../contract/tiers.ts';
import type { WalletChainId } from '../contract/wallet.ts';

const DEFAULT_PROJECT = 'demo-tradewind';
export const GOOGLE_KEYS_URL =
  'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com';
const GOOGLE_ACCOUNTS_URL = 'https://identitytoolkit.googleapis.com';

/** The process exits with this when a setting is wrong. */
export const CONFIG_EXIT = 2;

/** What the operator must set right; the message names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(
    readonly variable: string,
    message: string,
  ) {
    super(`${variable}: ${message}`);
  }
}

const blankIsUnset = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() === '' ? undefined : value;
const optional = <S extends z.ZodType>(schema: S) => z.preprocess(blankIsUnset, schema.optional());
const withDefault = <S extends z.ZodType>(schema: S, value: z.output<S>) =>
  z.preprocess((raw) => blankIsUnset(raw) ?? value, schema);
/** Booleans are true only when the text equals 'true'. */
const flag = (value: boolean) =>
  withDefault(
    z.preprocess((raw) => (typeof raw === 'boolean' ? raw : raw === 'true'), z.boolean()),
    value,
  );
const port = (value: number) =>
  withDefault(
    z.coerce
      .number('a port number')
      .int('a port number')
      .min(0, 'a port from 0 to 65535')
      .max(65_535, 'a port from 0 to 65535'),
    value,
  );
/** Ids of one plan's prices, separated by commas. */
const prices = optional(
  z
    .string()
    .transform((text) => text.split(',').map((id) => id.trim()))
    .refine(
      (ids) => ids.every((id) => /^\S+$/.test(id)),
      'price ids separated by commas, none of them blank',
    ),
);
const positive = (value: number) =>
  withDefault(z.coerce.number('a number').gt(0, 'a number above 0'), value);
const url = (schemes: RegExp, what: string) =>
  optional(z.string().refine((text) => schemes.test(text) && URL.canParse(text), what));

const Environment = z.object({
  NODE_ENV: withDefault(
    z.enum(['development', 'production', 'test'], 'development, production or test'),
    'development',
  ),
  PORT: port(8787),
  HOST: withDefault(z.string(), '127.0.0.1'),
  DATA_DIR: withDefault(z.string(), '.data'),
  DATABASE_URL: url(
    /^postgres(ql)?:\/\//,
    'an address such as postgres://user:password@host:5432/tradewind',
  ),
  RUN_AGENTS: flag(true),
  LIVE_TRADING: flag(true),
  SIGNER_DIR: optional(z.string()),
  SIGNER_ADDRESS: optional(
    z.string().regex(/^.+:\d{1,5}$/, 'a host and a port such as signer.internal:9443'),
  ),
  SIGNER_TLS_CERT: optional(z.string()),
  SIGNER_TLS_KEY: optional(z.string()),
  SIGNER_TLS_CA: optional(z.string()),
  AGENT_BATCH: withDefault(
    z.coerce
      .number('a whole number')
      .int('a whole number')
      .min(1, 'at least 1')
      .max(2_000, 'at most 2000'),
    250,
  ),
  DATABASE_POOL_MAX: withDefault(
    z.coerce.number('a whole number').int('a whole number').min(1, 'at least 1'),
    10,
  ),
  READS_AT_ONCE: withDefault(
    z.coerce.number('a whole number').int('a whole number').min(1, 'at least 1'),
    2,
  ),
  AUTH_EMULATOR_PORT: port(9099),
  FIREBASE_AUTH_EMULATOR_HOST: optional(z.string().regex(/^[^/\s]+:\d+$/, 'host:port')),
  FIREBASE_KEYS_URL: url(/^https?:\/\//, 'an http or https address'),
  FIREBASE_ACCOUNTS_URL: url(/^https?:\/\//, 'an http or https address'),
  VITE_FIREBASE_PROJECT_ID: withDefault(z.string(), DEFAULT_PROJECT),
  VITE_FIREBASE_API_KEY: optional(z.string()),
  VITE_FIREBASE_AUTH_DOMAIN: optional(z.string()),
  VITE_API_URL: url(/^https?:\/\//, 'a valid URL'),
  VITE_STRIPE_PUBLISHABLE_KEY: optional(z.string()),
  VITE_STRIPE_COUPON_ID: optional(z.string()),
  VITE_STRIPE_COUPON_ENABLED: flag(false),
  VITE_ENABLE_CSP: flag(true),
  VITE_ENABLE_COMPRESSION: flag(true),
  MARKET_SOURCE: optional(z.string()),
  MARKET_SEED: optional(z.coerce.number('a whole number').int('a whole number')),
  EXCHANGE_BASE_URL: url(/^https?:\/\//, 'an http or https address'),
  REPLAY_SPEED: positive(1),
  REPLAY_START: optional(
    z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'a UTC date such as 2024-03-01'),
  ),
  STRIPE_SECRET_KEY: optional(z.string()),
  STRIPE_WEBHOOK_SECRET: optional(z.string()),
  STRIPE_API_BASE: url(/^https?:\/\//, 'an http or https address'),
  STRIPE_PRICE_STARTER: prices,
  STRIPE_PRICE_STANDARD: prices,
  STRIPE_PRICE_PRO: prices,
  STRIPE_PRICE_PRO_MAX: prices,
  VAPID_PUBLIC_KEY: optional(z.string().regex(/^[\w-]{87}=*$/, 'a P-256 public key in base64url')),
  VAPID_PRIVATE_KEY: optional(
    z.string().regex(/^[\w-]{43}=*$/, 'a P-256 private key in base64url'),
  ),
  VAPID_SUBJECT: withDefault(
    z.string().regex(/^(mailto:|https:\/\/)\S+$/, 'a mailto: or https: address'),
    'mailto:operator@example.com',
  ),
  PUSH_ALLOW_LOCAL: flag(false),
  BASE_RPC_URL: url(/^https?:\/\//, 'an http or https address'),
  BASE_SEPOLIA_RPC_URL: url(/^https?:\/\//, 'an http or https address'),
  VITE_ONCHAINKIT_API_KEY: optional(z.string()),
  VITE_ONCHAINKIT_RPC_URL: url(/^https?:\/\//, 'an http or https address'),
  VITE_ONCHAINKIT_ANALYTICS_URL: url(/^https?:\/\//, 'an http or https address'),
  VITE_ENABLE_ANALYTICS: flag(false),
  VITE_WALLET_CHAIN: withDefault(
    z.enum(['base', 'base-sepolia'], 'base or base-sepolia'),
    'base-sepolia',
  ),
  VITE_WALLET_PREFERENCE: withDefault(
    z.enum(['all', 'smartWalletOnly', 'eoaOnly'], 'all, smartWalletOnly or eoaOnly'),
    'smartWalletOnly',
  ),
  CDP_API_KEY_ID: optional(z.string()),
  CDP_API_KEY_SECRET: optional(z.string()),
  CDP_API_BASE: url(/^https?:\/\//, 'an http or https address'),
  TRIAL_DAYS: withDefault(
    z.coerce.number('a whole number of days').int('a whole number of days').min(1, 'at least 1'),
    14,
  ),
  PUBLIC_ORIGIN: url(/^https?:\/\//, 'an origin such as https://trade.example.com'),
  DIST_DIR: optional(z.string()),
  KILL_SERVICE_WORKER: flag(false),
  TRUST_PROXY: flag(false),
  DRAIN_SECONDS: withDefault(
    z.coerce.number('a number of seconds').min(0, 'at least 0').max(10, 'at most 10'),
    0,
  ),
  METRICS: flag(false),
  LOG_LEVEL: withDefault(
    z.enum(['debug', 'info', 'warn', 'error'], 'debug, info, warn or error'),
    'info',
  ),
  RATE_LIMIT_USER_PER_SECOND: positive(20),
  RATE_LIMIT_IP_PER_SECOND: positive(200),
  ACCOUNT_CHECK_SECONDS: positive(60),
  ALLOW_EMULATOR_IN_PRODUCTION: flag(false),
  ALLOW_EMULATOR_ON_NETWORK: flag(false),
  ALLOW_TEST_PAYMENTS_IN_PRODUCTION: flag(false),
  ALLOW_NO_CSP_IN_PRODUCTION: flag(false),
});
type Environment = z.output<typeof Environment>;

/**
 * `emulator` takes unsigned tokens of the local Auth emulator; `keys` takes tokens signed by the
 * project's provider.
 */
type IdentityConfig =
  | { kind: 'emulator'; port: number; portIsChosen: boolean; external: string | null }
  | { kind: 'keys'; keysUrl: string; accounts: { url: string; apiKey: string } | null };

/** `keySecret`: a private key, as PEM or as base64 of an Ed25519 key. */
export interface OnrampConfig {
  keyId: string;
  keySecret: string;
  apiBase: string;
}

/** Where the signer is reached: beside the server, or on a machine of its own. */
export type SignerAddress =
  | { kind: 'unix'; path: string }
  | { kind: 'tls'; host: string; port: number; cert: string; key: string; ca: string };

export interface Config {
  mode: 'development' | 'production' | 'test';
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | null;
  databasePoolMax: number;
  /** Heavy reads at one time on PostgreSQL. */
  readsAtOnce: number;
  /** The server runs due agents and watches stops itself; else workers do. */
  runAgents: boolean;
  /** Agents in one transaction. */
  agentBatch: number;
  /** Null where live trading is switched off. */
  signer: SignerAddress | null;
  projectId: string;
  authDomain: string | null;
  identity: IdentityConfig;
  market: {
    source: string | null;
    replaySpeed: number;
    replayStart: string | null;
    seed: number | null;
    exchangeBaseUrl: string | null;
  };
  payments: {
    secretKey: string | null;
    webhookSecret: string | null;
    apiBase: string | null;
    publishableKey: string | null;
    /** The one coupon that checkouts may carry; null for none. */
    coupon: string | null;
    /** Of each plan the price that is sold, then those that go on entitling; none, and it is not. */
    prices: Record<PaidTier, readonly string[]>;
  };
  /**
   * Keys of null are made at the first start. `allowLocal` lets pushes go to this machine: for
   * tests alone.
   */
  push: {
    publicKey: string | null;
    privateKey: string | null;
    subject: string;
    allowLocal: boolean;
  };
  wallet: {
    /** Where each chain is asked; the address may hold a key, and is not logged. */
    rpcUrls: Readonly<Record<WalletChainId, string>>;
    /** The keys for the onramp's provider; null where the app asks it by itself. */
    onramp: OnrampConfig | null;
    /** Whom the page's own wallet speaks to, with the settings that it is built with. */
    pageOrigins: readonly string[];
  };
  trialDays: number;
  publicOrigin: string;
  apiOrigin: string | null;
  csp: boolean;
  compression: boolean;
  /** The build that is served; null for the repository's own. */
  distDir: string | null;
  /** Serves, in place of the app's worker, one that takes itself away. */
  killServiceWorker: boolean;
  metrics: boolean;
  /** How long a server that is told to end goes on serving while /readyz says that it ends. */
  drainMs: number;
  /**
   * A proxy of ours stands in front: the address it adds is believed, what a client wrote before
   * that is not.
   */
  trustProxy: boolean;
  logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Requests per second that refill a bucket; the bucket holds fifteen seconds of them. */
  rateLimit: { userPerSecond: number; ipPerSecond: number };
  /**
   * How long the provider's good word on an account is believed, and how often it is asked again
   * for an open stream.
   */
  accountCheckMs: number;
}

/** A name or address of this machine alone, as a setting or a URL spells it. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
  );
}

function identityOf(env: Environment, portIsChosen: boolean): IdentityConfig {
  const real =
    env.FIREBASE_KEYS_URL !== undefined || !env.VITE_FIREBASE_PROJECT_ID.startsWith('demo-');
  if (real && env.FIREBASE_AUTH_EMULATOR_HOST === undefined) {
    // Keys of somebody else's say nothing of Google's accounts: those are asked only beside
    // Google's own keys, or by name.
    const accountsUrl =
      env.FIREBASE_ACCOUNTS_URL ??
      (env.FIREBASE_KEYS_URL === undefined ? GOOGLE_ACCOUNTS_URL : undefined);
    const apiKey = env.VITE_FIREBASE_API_KEY;
    return {
      kind: 'keys',
      keysUrl: env.FIREBASE_KEYS_URL ?? GOOGLE_KEYS_URL,
      accounts:
        accountsUrl === undefined || apiKey === undefined ? null : { url: accountsUrl, apiKey },
    };
  }
  return {
    kind: 'emulator',
    port: env.AUTH_EMULATOR_PORT,
    portIsChosen,
    external: env.FIREBASE_AUTH_EMULATOR_HOST ?? null,
  };
}

const CDP_API = 'https://api.developer.coinbase.com';
/** As PEM, on one line where the environment has no others, or the 64 bytes of an Ed25519 key. */
const isPrivateKey = (secret: string): boolean =>
  /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(secret) || Buffer.from(secret, 'base64').length === 64;

/** Every address that the wallet in the page may have reason to ask, and no other. */
function walletOrigins(env: Environment): string[] {
  const key = env.VITE_ONCHAINKIT_API_KEY !== undefined;
  const own = env.VITE_ONCHAINKIT_RPC_URL;
  const chain = env.VITE_WALLET_CHAIN;
  return [
    ...new Set([
      ...(key
        ? [CDP_API]
        : [
            'https://mainnet.base.org',
            ...(own !== undefined && chain === 'base-sepolia' ? [] : ['https://sepolia.base.org']),
          ]),
      ...(own === undefined ? [] : [new URL(own).origin]),
      // The smart wallet's own calls, and the relay of the other kind.
      'https://rpc.wallet.coinbase.com',
      ...(env.VITE_WALLET_PREFERENCE === 'smartWalletOnly'
        ? []
        : ['https://www.walletlink.org', 'wss://www.walletlink.org']),
      // Asked when a person looks an address up: names that are kept on Ethereum, and who vouches
      // for it.
      'https://ethereum.reth.rs',
      chain === 'base' ? 'https://base.easscan.org' : 'https://base-sepolia.easscan.org',
      ...(env.VITE_ENABLE_ANALYTICS
        ? [
            env.VITE_ONCHAINKIT_ANALYTICS_URL === undefined
              ? CDP_API
              : new URL(env.VITE_ONCHAINKIT_ANALYTICS_URL).origin,
          ]
        : []),
    ]),
  ];
}

function walletOf(env: Environment): Config['wallet'] {
  const {
    CDP_API_KEY_ID: keyId,
    CDP_API_KEY_SECRET: keySecret,
    VITE_ONCHAINKIT_API_KEY: apiKey,
  } = env;
  if ((keyId === undefined) !== (keySecret === undefined)) {
    throw new ConfigError(
      keyId === undefined ? 'CDP_API_KEY_ID' : 'CDP_API_KEY_SECRET',
      'the id and the secret of the key are set together or not at all',
    );
  }
  if (keySecret !== undefined && !isPrivateKey(keySecret)) {
    throw new ConfigError(
      'CDP_API_KEY_SECRET',
      'must be a private key as PEM, or a 64-byte Ed25519 key as base64',
    );
  }
  const rpc = (named: string | undefined, keyed: string, open: string): string =>
    named ?? (apiKey === undefined ? open : `${CDP_API}/rpc/v1/${keyed}/${apiKey}`);
  return {
    rpcUrls: {
      8453: rpc(env.BASE_RPC_URL, 'base', 'https://mainnet.base.org'),
      84532: rpc(env.BASE_SEPOLIA_RPC_URL, 'base-sepolia', 'https://sepolia.base.org'),
    },
    onramp:
      keyId === undefined || keySecret === undefined
        ? null
        : { keyId, keySecret, apiBase: (env.CDP_API_BASE ?? CDP_API).replace(/\/+$/, '') },
    pageOrigins: walletOrigins(env),
  };
}

function refuseUnsafe(env: Environment, identity: IdentityConfig): void {
  const production = env.NODE_ENV === 'production';
  if (!env.RUN_AGENTS && env.DATABASE_URL === undefined) {
    throw new ConfigError(
      'RUN_AGENTS',
      'is not "true", and without DATABASE_URL no worker can run the agents: no agent would trade and no stop loss would be watched',
    );
  }
  if (identity.kind === 'emulator') {
    if (production && !env.ALLOW_EMULATOR_IN_PRODUCTION) {
      throw new ConfigError(
        'VITE_FIREBASE_PROJECT_ID',
        'production needs a real identity provider; the emulator lets anyone forge a user (ALLOW_EMULATOR_IN_PRODUCTION=true allows it)',
      );
    }
    if (!isLoopback(env.HOST) && !env.ALLOW_EMULATOR_ON_NETWORK) {
      throw new ConfigError(
        'HOST',
        `with the identity emulator anyone who reaches ${env.HOST} can forge a user; keep 127.0.0.1 or configure a real provider (ALLOW_EMULATOR_ON_NETWORK=true allows it)`,
      );
    }
  }
  if (production && env.STRIPE_SECRET_KEY === undefined && !env.ALLOW_TEST_PAYMENTS_IN_PRODUCTION) {
    throw new ConfigError(
      'STRIPE_SECRET_KEY',
      'production needs real payments (ALLOW_TEST_PAYMENTS_IN_PRODUCTION=true allows the test checkout)',
    );
  }
  if (env.STRIPE_SECRET_KEY !== undefined && env.STRIPE_WEBHOOK_SECRET === undefined) {
    throw new ConfigError(
      'STRIPE_WEBHOOK_SECRET',
      'needed with STRIPE_SECRET_KEY, or webhooks cannot be trusted',
    );
  }
  if ((env.VAPID_PUBLIC_KEY === undefined) !== (env.VAPID_PRIVATE_KEY === undefined)) {
    throw new ConfigError(
      env.VAPID_PUBLIC_KEY === undefined ? 'VAPID_PUBLIC_KEY' : 'VAPID_PRIVATE_KEY',
      'the two VAPID keys are set together or not at all',
    );
  }
  if (production && env.PUSH_ALLOW_LOCAL) {
    throw new ConfigError(
      'PUSH_ALLOW_LOCAL',
      'is for tests: in production pushes go to public addresses only',
    );
  }
  if (production && !env.VITE_ENABLE_CSP && !env.ALLOW_NO_CSP_IN_PRODUCTION) {
    throw new ConfigError(
      'VITE_ENABLE_CSP',
      'production does not run without a content security policy (ALLOW_NO_CSP_IN_PRODUCTION=true allows it)',
    );
  }
}

/** @throws ConfigError naming the first variable that is not valid. */
function parseEnvironment(source: Readonly<Record<string, string | undefined>>): Environment {
  const parsed = Environment.safeParse(source);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigError(
    String(issue?.path[0] ?? 'environment'),
    issue === undefined ? 'not valid' : `must be ${issue.message.replace(/^Invalid input: /, '')}`,
  );
}

/** @throws ConfigError where a price would stand for two plans, or is listed twice for one. */
function pricesOf(env: Environment): Config['payments']['prices'] {
  const plans = new Map<string, string>();
  const idsOf = (
    variable: Extract<keyof Environment, `STRIPE_PRICE_${string}`>,
  ): readonly string[] => {
    const ids = env[variable] ?? [];
    for (const id of ids) {
      const other = plans.get(id);
      if (other !== undefined)
        throw new ConfigError(
          variable,
          other === variable ? `${id} is listed twice` : `${id} is listed in ${other} too`,
        );
      plans.set(id, variable);
    }
    return ids;
  };
  return {
    starter: idsOf('STRIPE_PRICE_STARTER'),
    standard: idsOf('STRIPE_PRICE_STANDARD'),
    pro: idsOf('STRIPE_PRICE_PRO'),
    'pro-max': idsOf('STRIPE_PRICE_PRO_MAX'),
  };
}

function paymentsOf(env: Environment): Config['payments'] {
  return {
    secretKey: env.STRIPE_SECRET_KEY ?? null,
    webhookSecret: env.STRIPE_WEBHOOK_SECRET ?? null,
    apiBase: env.STRIPE_API_BASE ?? null,
    publishableKey: env.VITE_STRIPE_PUBLISHABLE_KEY ?? null,
    coupon: env.VITE_STRIPE_COUPON_ENABLED ? (env.VITE_STRIPE_COUPON_ID ?? null) : null,
    prices: pricesOf(env),
  };
}

/** The signer's folder is beside the data folder: a copy of the data takes no keys along. */
export const signerFolder = (dataDir: string, signerDir: string | undefined): string =>
  resolve(signerDir ?? `${resolve(dataDir)}-signer`);

function signerOf(env: Environment): SignerAddress | null {
  if (!env.LIVE_TRADING) return null;
  if (env.SIGNER_ADDRESS === undefined)
    return { kind: 'unix', path: join(signerFolder(env.DATA_DIR, env.SIGNER_DIR), 'signer.sock') };
  const file = (name: 'SIGNER_TLS_CERT' | 'SIGNER_TLS_KEY' | 'SIGNER_TLS_CA'): string => {
    const path = env[name];
    if (path === undefined) throw new ConfigError(name, 'a file is needed with SIGNER_ADDRESS');
    return path;
  };
  const at = env.SIGNER_ADDRESS.lastIndexOf(':');
  return {
    kind: 'tls',
    host: env.SIGNER_ADDRESS.slice(0, at),
    port: Number(env.SIGNER_ADDRESS.slice(at + 1)),
    cert: file('SIGNER_TLS_CERT'),
    key: file('SIGNER_TLS_KEY'),
    ca: file('SIGNER_TLS_CA'),
  };
}

function publicOriginOf(env: Environment): string {
  if (env.PUBLIC_ORIGIN !== undefined) return new URL(env.PUBLIC_ORIGIN).origin;
  const everywhere = env.HOST === '0.0.0.0' || env.HOST === '::';
  const host = isLoopback(env.HOST) || everywhere ? 'localhost' : env.HOST;
  return `http://${host}:${env.PORT}`;
}

/** Reads every setting once. Throws ConfigError naming the variable at fault. */
export function readConfig(source: Readonly<Record<string, string | undefined>>): Config {
  const env = parseEnvironment(source);
  const identity = identityOf(env, blankIsUnset(source.AUTH_EMULATOR_PORT) !== undefined);
  refuseUnsafe(env, identity);
  return {
    mode: env.NODE_ENV,
    port: env.PORT,
    host: env.HOST,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL ?? null,
    databasePoolMax: env.DATABASE_POOL_MAX,
    readsAtOnce: env.READS_AT_ONCE,
    runAgents: env.RUN_AGENTS,
    agentBatch: env.AGENT_BATCH,
    signer: signerOf(env),
    projectId: env.VITE_FIREBASE_PROJECT_ID,
    authDomain: env.VITE_FIREBASE_AUTH_DOMAIN ?? null,
    identity,
    market: {
      source: env.MARKET_SOURCE ?? null,
      replaySpeed: env.REPLAY_SPEED,
      replayStart: env.REPLAY_START ?? null,
      seed: env.MARKET_SEED ?? null,
      exchangeBaseUrl: env.EXCHANGE_BASE_URL ?? null,
    },
    payments: paymentsOf(env),
    push: {
      publicKey: env.VAPID_PUBLIC_KEY ?? null,
      privateKey: env.VAPID_PRIVATE_KEY ?? null,
      subject: env.VAPID_SUBJECT,
      allowLocal: env.PUSH_ALLOW_LOCAL,
    },
    wallet: walletOf(env),
    trialDays: env.TRIAL_DAYS,
    publicOrigin: publicOriginOf(env),
    apiOrigin: env.VITE_API_URL === undefined ? null : new URL(env.VITE_API_URL).origin,
    csp: env.VITE_ENABLE_CSP,
    compression: env.VITE_ENABLE_COMPRESSION,
    distDir: env.DIST_DIR ?? null,
    killServiceWorker: env.KILL_SERVICE_WORKER,
    metrics: env.METRICS,
    drainMs: env.DRAIN_SECONDS * 1_000,
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL,
    accountCheckMs: env.ACCOUNT_CHECK_SECONDS * 1_000,
    rateLimit: {
      userPerSecond: env.RATE_LIMIT_USER_PER_SECOND,
      ipPerSecond: env.RATE_LIMIT_IP_PER_SECOND,
    },
  };
}
