/** The client's settings, parsed once from the build's environment. */
import * as z from 'zod/mini';
import type { FirebaseSettings } from './identity/firebase-app.ts';
import { log } from './platform/page-log.ts';

declare const __APP_VERSION__: string | undefined;

const text = z._default(z.string(), '');
/** True only when the text is exactly `true`. */
const flag = z.pipe(
  text,
  z.transform((value: string) => value === 'true'),
);
const required = (message: string) => z.string({ error: message }).check(z.minLength(1, message));

/** An empty line of an .env file means "not set", so that a default can stand. */
const optionalOf = <T extends z.ZodMiniType>(schema: T) =>
  z.pipe(
    z.transform((value: unknown) => (value === '' ? undefined : value)),
    schema,
  );

const Environment = z.object({
  MODE: optionalOf(z._default(z.enum(['development', 'production', 'test']), 'development')),
  VITE_FIREBASE_API_KEY: required('Firebase API key is required'),
  VITE_FIREBASE_AUTH_DOMAIN: required('Firebase auth domain is required'),
  VITE_FIREBASE_PROJECT_ID: required('Firebase project ID is required'),
  VITE_FIREBASE_STORAGE_BUCKET: text,
  VITE_FIREBASE_MESSAGING_SENDER_ID: text,
  VITE_FIREBASE_APP_ID: required('Firebase app ID is required'),
  VITE_APP_VERSION: text,
  VITE_ENABLE_ANALYTICS: flag,
  VITE_STRIPE_PUBLISHABLE_KEY: text,
  VITE_STRIPE_PRICE_STARTER: text,
  VITE_STRIPE_PRICE_STANDARD: text,
  VITE_STRIPE_PRICE_PRO: text,
  VITE_STRIPE_PRICE_PRO_MAX: text,
  VITE_STRIPE_COUPON_ID: text,
  VITE_STRIPE_COUPON_ENABLED: flag,
  VITE_API_URL: optionalOf(z.optional(z.url('VITE_API_URL must be a valid URL'))),
  VITE_ENABLE_PERFORMANCE_MONITORING: flag,
  VITE_LOG_LEVEL: optionalOf(z._default(z.enum(['debug', 'info', 'warn', 'error']), 'info')),
  VITE_MOCK_API: flag,
  VITE_SECURE_COOKIES: flag,
  VITE_ENABLE_CSP: flag,
  VITE_ENABLE_COMPRESSION: flag,
  VITE_LAZY_LOADING: optionalOf(
    z.pipe(
      z._default(z.string(), 'true'),
      z.transform((value: string) => value === 'true'),
    ),
  ),
});

/** Everything the client may be told from outside, by the name of what it does. */
export interface ClientEnvironment {
  mode: 'development' | 'production' | 'test';
  firebase: FirebaseSettings;
  appVersion: string;
  analytics: boolean;
  stripePublishableKey: string;
  stripePrices: { starter: string; standard: string; pro: string; 'pro-max': string };
  couponId: string;
  couponEnabled: boolean;
  /** Base address of the back end; empty means the app's own origin. */
  apiUrl: string;
  performanceMonitoring: boolean;
  logLevel: 'debug' | 'info' | 'warn' | 'error';
  mockApi: boolean;
  secureCookies: boolean;
  csp: boolean;
  compression: boolean;
  lazyLoading: boolean;
}

const builtVersion = (): string =>
  typeof __APP_VERSION__ === 'string' ? __APP_VERSION__ : '0.0.0';

/**
 * Parses the settings of a build.
 * @throws Error 'Invalid environment configuration', with the validation error as its cause, after
 *   logging it.
 */
export function readEnvironment(source: Record<string, unknown>): ClientEnvironment {
  const parsed = Environment.safeParse(source);
  if (!parsed.success) {
    log.error(
      'Environment validation failed:',
      parsed.error.issues.map((issue) => issue.message).join('; '),
    );
    throw new Error('Invalid environment configuration', { cause: parsed.error });
  }
  const e = parsed.data;
  return {
    mode: e.MODE,
    firebase: {
      apiKey: e.VITE_FIREBASE_API_KEY,
      authDomain: e.VITE_FIREBASE_AUTH_DOMAIN,
      projectId: e.VITE_FIREBASE_PROJECT_ID,
      storageBucket: e.VITE_FIREBASE_STORAGE_BUCKET,
      messagingSenderId: e.VITE_FIREBASE_MESSAGING_SENDER_ID,
      appId: e.VITE_FIREBASE_APP_ID,
    },
    appVersion: e.VITE_APP_VERSION === '' ? builtVersion() : e.VITE_APP_VERSION,
    analytics: e.VITE_ENABLE_ANALYTICS,
    stripePublishableKey: e.VITE_STRIPE_PUBLISHABLE_KEY,
    stripePrices: {
      starter: e.VITE_STRIPE_PRICE_STARTER,
      standard: e.VITE_STRIPE_PRICE_STANDARD,
      pro: e.VITE_STRIPE_PRICE_PRO,
      'pro-max': e.VITE_STRIPE_PRICE_PRO_MAX,
    },
    couponId: e.VITE_STRIPE_COUPON_ID,
    couponEnabled: e.VITE_STRIPE_COUPON_ENABLED,
    apiUrl: (e.VITE_API_URL ?? '').replace(/\/+$/, ''),
    performanceMonitoring: e.VITE_ENABLE_PERFORMANCE_MONITORING,
    logLevel: e.VITE_LOG_LEVEL,
    mockApi: e.VITE_MOCK_API,
    secureCookies: e.VITE_SECURE_COOKIES,
    csp: e.VITE_ENABLE_CSP,
    compression: e.VITE_ENABLE_COMPRESSION,
    lazyLoading: e.VITE_LAZY_LOADING,
  };
}

/** The settings of this build. Reading it is what stops a misconfigured app at its start. */
export const environment: ClientEnvironment = readEnvironment(import.meta.env);
log.setLevel(environment.logLevel);
