// @vitest-environment happy-dom
/** Whether what a screen shows may be called current. */
import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useCurrent } from '../../../src/shell/data-age.ts';
import { agentsStore } from '../../../src/stores/agents-store.ts';
import { connection } from '../../../src/stores/connection.ts';
import { clear, fill } from '../../../src/stores/slot.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const LIST = { agents: [], sequence: 1, asOf: NOW, entriesOff: [] };

const isCurrent = (): boolean => renderHook(() => useCurrent('agents')).result.current;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  connection.online = 'unknown';
});
afterEach(() => {
  cleanup();
  clear(agentsStore);
  vi.useRealTimers();
});

describe('agents of the device, before the server was asked', () => {
  it('are not current, however new they are', () => {
    fill(agentsStore, LIST, 'snapshot', NOW - 10_000);
    expect(isCurrent()).toBe(false);
    cleanup();
    connection.online = 'online';
    expect(isCurrent()).toBe(true);
    cleanup();
    vi.setSystemTime(NOW + 3_600_000);
    expect(isCurrent()).toBe(false);
  });

  it('are not current where they were saved before the clock was put back (F20)', () => {
    fill(agentsStore, LIST, 'snapshot', NOW + 86_400_000);
    expect(isCurrent()).toBe(false);
  });
});
