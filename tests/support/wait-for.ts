/**
 * `vi.waitFor` with the patience a busy machine needs; refuses to wait as long as a browser test.
 */
import { vi } from 'vitest';

export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000 });
