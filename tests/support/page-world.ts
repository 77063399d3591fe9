/**
 * What the page's modules find around them when they are loaded: the settings of a build, and what
 * jsdom has not; imported before them, it refuses to stand in for anything a test is about.
 */
import { configure } from '@testing-library/react';
import { vi } from 'vitest';

vi.stubEnv('VITE_FIREBASE_API_KEY', 'key');
vi.stubEnv('VITE_FIREBASE_AUTH_DOMAIN', 'demo.example.com');
vi.stubEnv('VITE_FIREBASE_PROJECT_ID', 'demo-tradewind');
vi.stubEnv('VITE_FIREBASE_APP_ID', 'app');

// A machine with other work loads a screen in half a minute; a test that passes never waits this
// long.
configure({ asyncUtilTimeout: 60_000 });

if (typeof window !== 'undefined') {
  Object.assign(globalThis, {
    scrollTo: () => undefined,
    matchMedia: () => ({
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }),
  });
}
