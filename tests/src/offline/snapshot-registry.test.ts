/** What the registry says of each kind of snapshot, and that installed apps find theirs again. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CALLS } from '../../../contract/calls.ts';
import { copiedKind } from '../../../src/offline/copied-kind.ts';
import {
  isReplyKind,
  restoredKinds,
  SNAPSHOT_KINDS,
  SNAPSHOTS,
  STREAMED_KINDS,
} from '../../../src/offline/snapshot-registry.ts';
import { SCHEMAS } from '../../../src/offline/snapshot-schemas.ts';

describe('the registry of snapshots', () => {
  it('keeps the names under which installed apps have stored them', () => {
    for (const kind of [
      'agents',
      'alerts',
      'analytics',
      'backtest',
      'candles',
      'exchanges',
      'history',
      'insight',
      'market',
      'overview',
      'pools',
      'portfolio',
      'settings',
      'sparklines',
      'subscription',
      'trial',
      'wallet',
    ])
      expect(SNAPSHOT_KINDS).toContain(kind);
  });

  it('has an entry for every file of a kind', () => {
    const files = readdirSync('src/offline/kinds').map((file) => file.replace('-snapshot.ts', ''));
    expect(files.toSorted()).toEqual([...SNAPSHOT_KINDS].toSorted());
  });

  it('deletes the candles of a backtest first and the portfolio last', () => {
    expect(SNAPSHOT_KINDS[0]).toBe('backtest');
    expect(SNAPSHOT_KINDS.slice(-3)).toEqual(['agents', 'subscription', 'portfolio']);
  });

  it('reads what the first screen shows before it paints, each kind of a call once', () => {
    const first = restoredKinds('first-paint', '/dashboard');
    expect([...first].toSorted()).toEqual([
      'agents',
      'history',
      'market',
      'portfolio',
      'subscription',
      'trial',
    ]);
    expect(restoredKinds('first-paint', '/pro-dashboard')).toContain('insight');
    expect([...first, ...restoredKinds('after-paint', '/dashboard')].toSorted()).toEqual(
      SNAPSHOT_KINDS.filter(isReplyKind).toSorted(),
    );
  });

  it('reads each kind by the schema of its own call', () => {
    for (const kind of SNAPSHOT_KINDS.filter(isReplyKind))
      expect([kind, SCHEMAS[kind] === CALLS[SNAPSHOTS[kind].call].reply]).toEqual([kind, true]);
  });

  it('has the worker copy a reply under its own kind or not at all', () => {
    for (const kind of SNAPSHOT_KINDS.filter(isReplyKind)) {
      const call = CALLS[SNAPSHOTS[kind].call];
      expect([kind, call.method]).toEqual([kind, 'GET']);
      const copied = copiedKind(new URL(call.path, 'https://server'));
      expect([null, kind]).toContain(copied);
    }
  });

  it('names what the stream keeps true', () => {
    expect([...STREAMED_KINDS].toSorted()).toEqual([
      'agents',
      'alerts',
      'history',
      'market',
      'portfolio',
    ]);
  });
});
