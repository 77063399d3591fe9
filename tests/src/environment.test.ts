/** The client's settings: what stops the start, what a flag is, what stands by default. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readEnvironment } from '../../src/environment.ts';
import { firebaseOptions } from '../../src/identity/firebase-app.ts';
import { log } from '../../src/platform/page-log.ts';

const good = {
  VITE_FIREBASE_API_KEY: 'key',
  VITE_FIREBASE_AUTH_DOMAIN: 'example.firebaseapp.com',
  VITE_FIREBASE_PROJECT_ID: 'demo-x',
  VITE_FIREBASE_APP_ID: '1:0:web:x',
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe('environment', () => {
  it('reads every setting by its name and gives each its default (R3-20, R3-21, R3-22, R3-23, R3-24, R3-25, R3-26, R3-27, R3-28, R3-29, R3-30, R9-16)', () => {
    const bare = readEnvironment(good);
    expect(bare).toMatchObject({
      mode: 'development',
      analytics: false,
      performanceMonitoring: false,
      logLevel: 'info',
      mockApi: false,
      secureCookies: false,
      csp: false,
      compression: false,
      lazyLoading: true,
      couponEnabled: false,
      couponId: '',
      apiUrl: '',
      stripePublishableKey: '',
      stripePrices: { starter: '', standard: '', pro: '', 'pro-max': '' },
    });
    const full = readEnvironment({
      ...good,
      MODE: 'production',
      VITE_FIREBASE_STORAGE_BUCKET: 'b',
      VITE_FIREBASE_MESSAGING_SENDER_ID: 'm',
      VITE_APP_VERSION: '9.9.9',
      VITE_ENABLE_ANALYTICS: 'true',
      VITE_STRIPE_PUBLISHABLE_KEY: 'pk',
      VITE_STRIPE_PRICE_STARTER: 'p1',
      VITE_STRIPE_PRICE_STANDARD: 'p2',
      VITE_STRIPE_PRICE_PRO: 'p3',
      VITE_STRIPE_PRICE_PRO_MAX: 'p4',
      VITE_STRIPE_COUPON_ID: 'c',
      VITE_STRIPE_COUPON_ENABLED: 'true',
      VITE_API_URL: 'https://api.example.com/',
      VITE_ENABLE_PERFORMANCE_MONITORING: 'true',
      VITE_LOG_LEVEL: 'debug',
      VITE_MOCK_API: 'true',
      VITE_SECURE_COOKIES: 'true',
      VITE_ENABLE_CSP: 'true',
      VITE_ENABLE_COMPRESSION: 'true',
      VITE_LAZY_LOADING: 'false',
    });
    expect(full).toEqual({
      mode: 'production',
      firebase: {
        apiKey: 'key',
        authDomain: 'example.firebaseapp.com',
        projectId: 'demo-x',
        storageBucket: 'b',
        messagingSenderId: 'm',
        appId: '1:0:web:x',
      },
      appVersion: '9.9.9',
      analytics: true,
      stripePublishableKey: 'pk',
      stripePrices: { starter: 'p1', standard: 'p2', pro: 'p3', 'pro-max': 'p4' },
      couponId: 'c',
      couponEnabled: true,
      apiUrl: 'https://api.example.com',
      performanceMonitoring: true,
      logLevel: 'debug',
      mockApi: true,
      secureCookies: true,
      csp: true,
      compression: true,
      lazyLoading: false,
    });
  });

  it('names each identity setting that is missing or empty, logs it and refuses to start (R5-23, R5-24, R8-27)', () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const cases = [
      ['VITE_FIREBASE_API_KEY', 'Firebase API key is required'],
      ['VITE_FIREBASE_AUTH_DOMAIN', 'Firebase auth domain is required'],
      ['VITE_FIREBASE_PROJECT_ID', 'Firebase project ID is required'],
      ['VITE_FIREBASE_APP_ID', 'Firebase app ID is required'],
    ] as const;
    for (const [name, message] of cases) {
      for (const value of ['', undefined]) {
        said.mockClear();
        expect(() => readEnvironment({ ...good, [name]: value })).toThrow(
          new Error('Invalid environment configuration'),
        );
        expect(said).toHaveBeenCalledWith('Environment validation failed:', message);
      }
    }
  });

  it('takes a flag for true only when its text is exactly "true" (R5-25)', () => {
    for (const text of ['TRUE', 'True', '1', 'yes', ' true', 'true ', '', 'false', undefined]) {
      expect(readEnvironment({ ...good, VITE_MOCK_API: text }).mockApi, String(text)).toBe(false);
    }
    expect(readEnvironment({ ...good, VITE_MOCK_API: 'true' }).mockApi).toBe(true);
    expect(readEnvironment({ ...good, VITE_LAZY_LOADING: 'no' }).lazyLoading).toBe(false);
    expect(readEnvironment({ ...good, VITE_LAZY_LOADING: '' }).lazyLoading).toBe(true);
  });

  it('accepts no API address or a valid one, and nothing else (R5-26)', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(readEnvironment({ ...good, VITE_API_URL: '' }).apiUrl).toBe('');
    expect(readEnvironment({ ...good, VITE_API_URL: 'http://localhost:8787' }).apiUrl).toBe(
      'http://localhost:8787',
    );
    expect(() => readEnvironment({ ...good, VITE_API_URL: 'not an address' })).toThrow(
      'Invalid environment configuration',
    );
  });

  it('refuses a log level or a mode it does not know', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(() => readEnvironment({ ...good, VITE_LOG_LEVEL: 'loud' })).toThrow(
      'Invalid environment configuration',
    );
    expect(() => readEnvironment({ ...good, MODE: 'staging' })).toThrow(
      'Invalid environment configuration',
    );
  });

  it('names every missing setting before Firebase is opened (R5-27)', () => {
    const settings = {
      apiKey: 'k',
      authDomain: '',
      projectId: 'p',
      storageBucket: '',
      messagingSenderId: '',
      appId: ' ',
    };
    expect(() => firebaseOptions(settings)).toThrow(
      new Error('Missing required Firebase configuration: authDomain, appId'),
    );
    expect(firebaseOptions({ ...settings, authDomain: 'a', appId: 'i' })).toMatchObject({
      projectId: 'p',
    });
  });

  it('writes what is at or above its log level and nothing below it (R3-28)', () => {
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => undefined);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    log.setLevel('error');
    log.warn('quiet');
    log.error('loud');
    log.setLevel('debug');
    log.debug('heard');
    log.setLevel('info');
    log.debug('unheard');
    expect(warn).not.toHaveBeenCalled();
    expect(error.mock.calls).toEqual([['loud']]);
    expect(debug.mock.calls).toEqual([['heard']]);
  });
});
