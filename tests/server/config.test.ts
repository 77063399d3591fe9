/** The environment as the server reads it. */
import { describe, expect, it } from 'vitest';
import { ConfigError, GOOGLE_KEYS_URL, readConfig } from '../../server/config.ts';

const refused = (env: Record<string, string>): ConfigError => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('The settings were accepted');
};

describe('settings of the server', () => {
  it('has a default for each, fit for a machine of one’s own', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      mode: 'development',
      port: 8787,
      host: '127.0.0.1',
      dataDir: '.data',
      databaseUrl: null,
      projectId: 'demo-tradewind',
      trialDays: 14,
      csp: true,
      compression: true,
      metrics: false,
      logLevel: 'info',
      publicOrigin: 'http://localhost:8787',
      identity: { kind: 'emulator', port: 9099, portIsChosen: false },
    });
  });

  it('takes an empty value for one that is not set, and only the text "true" for yes', () => {
    expect(
      readConfig({ PORT: '', DATABASE_URL: '', VITE_ENABLE_CSP: 'yes', METRICS: 'true' }),
    ).toMatchObject({ port: 8787, databaseUrl: null, csp: false, metrics: true });
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', 'eighty'],
    ['DATABASE_URL', 'mysql://x'],
    ['REPLAY_SPEED', '0'],
    ['REPLAY_START', 'yesterday-ish'],
    ['TRIAL_DAYS', '1.5'],
    ['LOG_LEVEL', 'loud'],
    ['NODE_ENV', 'staging'],
    ['VITE_API_URL', 'not a url'],
  ])('names %s when it is %s', (name, value) => {
    const error = refused({ [name]: value });
    expect(error.variable).toBe(name);
    expect(error.message).toMatch(new RegExp(`^${name}: `));
  });

  it('refuses the emulator, test payments and no CSP in production, unless each is allowed by name', () => {
    const real = {
      NODE_ENV: 'production',
      VITE_FIREBASE_PROJECT_ID: 'tradewind-live',
      STRIPE_SECRET_KEY: 'sk',
      STRIPE_WEBHOOK_SECRET: 'wh',
    };
    expect(readConfig(real).identity).toMatchObject({ kind: 'keys', keysUrl: GOOGLE_KEYS_URL });
    expect(refused({ ...real, VITE_FIREBASE_PROJECT_ID: 'demo-tradewind' }).message).toContain(
      'ALLOW_EMULATOR_IN_PRODUCTION',
    );
    expect(refused({ ...real, FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' }).message).toContain(
      'ALLOW_EMULATOR_IN_PRODUCTION',
    );
    expect(refused({ ...real, STRIPE_SECRET_KEY: '' }).message).toContain(
      'ALLOW_TEST_PAYMENTS_IN_PRODUCTION',
    );
    expect(refused({ ...real, VITE_ENABLE_CSP: 'false' }).message).toContain(
      'ALLOW_NO_CSP_IN_PRODUCTION',
    );
    const allowed = {
      ALLOW_EMULATOR_IN_PRODUCTION: 'true',
      ALLOW_TEST_PAYMENTS_IN_PRODUCTION: 'true',
      ALLOW_NO_CSP_IN_PRODUCTION: 'true',
    };
    expect(readConfig({ NODE_ENV: 'production', VITE_ENABLE_CSP: 'false', ...allowed }).mode).toBe(
      'production',
    );
  });

  it('refuses to leave the agents to workers where no worker can come, also where yes was spelt another way', () => {
    for (const value of ['false', '1', 'yes', 'TRUE'])
      expect(refused({ RUN_AGENTS: value }).message).toContain('RUN_AGENTS');
    expect(
      readConfig({ RUN_AGENTS: 'false', DATABASE_URL: 'postgres://localhost/tradewind' }).runAgents,
    ).toBe(false);
    expect(readConfig({ RUN_AGENTS: 'true' }).runAgents).toBe(true);
  });

  it('drains for as long as a shutdown leaves time for', () => {
    expect(readConfig({}).drainMs).toBe(0);
    expect(readConfig({ DRAIN_SECONDS: '2.5' }).drainMs).toBe(2_500);
    for (const value of ['-1', '11', 'long'])
      expect(refused({ DRAIN_SECONDS: value }).variable).toBe('DRAIN_SECONDS');
  });

  it('refuses to open the emulator to the network unless told so', () => {
    expect(refused({ HOST: '0.0.0.0' }).variable).toBe('HOST');
    expect(readConfig({ HOST: '0.0.0.0', ALLOW_EMULATOR_ON_NETWORK: 'true' }).host).toBe('0.0.0.0');
    expect(readConfig({ HOST: '0.0.0.0', VITE_FIREBASE_PROJECT_ID: 'tradewind-live' }).host).toBe(
      '0.0.0.0',
    );
  });

  it('refuses Stripe without the secret that makes its webhooks trustworthy', () => {
    expect(refused({ STRIPE_SECRET_KEY: 'sk' }).variable).toBe('STRIPE_WEBHOOK_SECRET');
  });

  it('takes several prices of a plan, the one that is sold first', () => {
    expect(
      readConfig({ STRIPE_PRICE_PRO: ' price_new, price_old ', STRIPE_PRICE_STARTER: ' ' }).payments
        .prices,
    ).toEqual({ starter: [], standard: [], pro: ['price_new', 'price_old'], 'pro-max': [] });
  });

  it.each(['price_a,', ',price_a', 'price_a,,price_b', 'price_a price_b', ','])(
    'refuses the prices %j, one of which is blank or has a blank in it',
    (value) => {
      const { variable, message } = refused({ STRIPE_PRICE_PRO: value });
      expect(variable).toBe('STRIPE_PRICE_PRO');
      expect(message).toContain('price ids separated by commas');
    },
  );

  it.each([
    [{ STRIPE_PRICE_PRO: 'price_a,price_a' }, 'STRIPE_PRICE_PRO: price_a is listed twice'],
    [
      { STRIPE_PRICE_STARTER: 'price_a', STRIPE_PRICE_PRO_MAX: 'price_b, price_a' },
      'STRIPE_PRICE_PRO_MAX: price_a is listed in STRIPE_PRICE_STARTER too',
    ],
  ])('refuses a price that would stand for two plans, or twice for one: %j', (env, message) => {
    expect(refused(env).message).toContain(message);
  });

  it('asks nobody about accounts when the keys are not Google’s, unless an address is given', () => {
    const own = { FIREBASE_KEYS_URL: 'http://127.0.0.1:1/keys', VITE_FIREBASE_API_KEY: 'k' };
    expect(readConfig(own).identity).toMatchObject({ kind: 'keys', accounts: null });
    expect(
      readConfig({ ...own, FIREBASE_ACCOUNTS_URL: 'http://127.0.0.1:2' }).identity,
    ).toMatchObject({ accounts: { url: 'http://127.0.0.1:2', apiKey: 'k' } });
  });
});
