/** The client's settings, read once from the build's environment. */
import type { FirebaseSettings } from './identity/firebase-app.ts';
import { log } from './platform/page-log.ts';

declare const __APP_VERSION__: string | undefined;

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

function isAddress(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}

/** Reads one setting after the other, and notes what is wrong with them. */
class Settings {
  readonly faults: string[] = [];

  constructor(private readonly source: Record<string, unknown>) {}

  text(name: string): string {
    const value = this.source[name];
    if (value === undefined) return '';
    if (typeof value === 'string') return value;
    this.faults.push(`${name} must be text`);
    return '';
  }

  required(name: string, what: string): string {
    const value = this.source[name];
    if (typeof value === 'string' && value !== '') return value;
    this.faults.push(`${what} is required`);
    return '';
  }

  /** True only when the text is exactly `true`. */
  flag(name: string): boolean {
    return this.text(name) === 'true';
  }

  /** An empty line of an .env file means "not set", so that a default can stand. */
  oneOf<const T extends string>(name: string, values: readonly T[], byDefault: T): T {
    const value = this.source[name];
    if (value === undefined || value === '') return byDefault;
    const known = values.find((one) => one === value);
    if (known === undefined) this.faults.push(`${name} must be one of ${values.join(', ')}`);
    return known ?? byDefault;
  }

  address(name: string): string {
    const setting = this.text(name);
    const address = setting.trim();
    if (setting !== '' && !isAddress(address)) this.faults.push(`${name} must be a valid URL`);
    return address.replace(/[\t\n\r]/g, '').replace(/\/+$/, '');
  }
}

/**
 * Reads the settings of a build.
 * @throws Error 'Invalid environment configuration', with what is wrong as its cause, after logging
 *   it.
 */
export function readEnvironment(source: Record<string, unknown>): ClientEnvironment {
  const read = new Settings(source);
  const appVersion = read.text('VITE_APP_VERSION');
  const settings: ClientEnvironment = {
    mode: read.oneOf('MODE', ['development', 'production', 'test'], 'development'),
    firebase: {
      apiKey: read.required('VITE_FIREBASE_API_KEY', 'Firebase API key'),
      authDomain: read.required('VITE_FIREBASE_AUTH_DOMAIN', 'Firebase auth domain'),
      projectId: read.required('VITE_FIREBASE_PROJECT_ID', 'Firebase project ID'),
      storageBucket: read.text('VITE_FIREBASE_STORAGE_BUCKET'),
      messagingSenderId: read.text('VITE_FIREBASE_MESSAGING_SENDER_ID'),
      appId: read.required('VITE_FIREBASE_APP_ID', 'Firebase app ID'),
    },
    appVersion: appVersion === '' ? builtVersion() : appVersion,
    analytics: read.flag('VITE_ENABLE_ANALYTICS'),
    stripePublishableKey: read.text('VITE_STRIPE_PUBLISHABLE_KEY'),
    stripePrices: {
      starter: read.text('VITE_STRIPE_PRICE_STARTER'),
      standard: read.text('VITE_STRIPE_PRICE_STANDARD'),
      pro: read.text('VITE_STRIPE_PRICE_PRO'),
      'pro-max': read.text('VITE_STRIPE_PRICE_PRO_MAX'),
    },
    couponId: read.text('VITE_STRIPE_COUPON_ID'),
    couponEnabled: read.flag('VITE_STRIPE_COUPON_ENABLED'),
    apiUrl: read.address('VITE_API_URL'),
    performanceMonitoring: read.flag('VITE_ENABLE_PERFORMANCE_MONITORING'),
    logLevel: read.oneOf('VITE_LOG_LEVEL', ['debug', 'info', 'warn', 'error'], 'info'),
    mockApi: read.flag('VITE_MOCK_API'),
    secureCookies: read.flag('VITE_SECURE_COOKIES'),
    csp: read.flag('VITE_ENABLE_CSP'),
    compression: read.flag('VITE_ENABLE_COMPRESSION'),
    lazyLoading: read.text('VITE_LAZY_LOADING') === '' || read.flag('VITE_LAZY_LOADING'),
  };
  if (read.faults.length === 0) return settings;
  const faults = read.faults.join('; ');
  log.error('Environment validation failed:', faults);
  throw new Error('Invalid environment configuration', { cause: faults });
}

/** The settings of this build. Reading it is what stops a misconfigured app at its start. */
export const environment: ClientEnvironment = readEnvironment(import.meta.env);
log.setLevel(environment.logLevel);
