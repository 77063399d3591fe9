/** `vi.waitFor` with the patience a busy machine needs. */
import { vi } from 'vitest';

export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000 });
