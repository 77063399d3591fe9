/**
 * Alerts in the queue, rule by rule: what is merged, in which order it goes, what a reply means,
 * who can read it.
 */
import { describe, expect, it } from 'vitest';
import type {
  AlertCommand,
  OutboxEntry,
  CommandRequest,
} from '../../../src/offline/outbox-entry.ts';
import { readEntry } from '../../../src/offline/outbox-entry.ts';
import { rebase } from '../../../src/offline/after-delivery.ts';
import { aged, coalesce } from '../../../src/offline/queue-rules.ts';
import { pick } from '../../../src/offline/send-order.ts';
import { judge } from '../../../src/offline/replies.ts';
import { requestOf } from '../../../src/offline/send.ts';
import {
  alertId,
  deleteAlert,
  entryOf,
  newId,
  press,
  said,
  setAlert,
  stamp,
  start,
  stop,
  stopAll,
  T0,
} from './samples.ts';

const DAY = 86_400_000;
const wants = (entries: readonly OutboxEntry[]): string[] =>
  entries.map(({ alert }) => {
    const condition = alert?.terms?.condition;
    return `${Number(alert?.id.slice(-3))} ${condition === undefined ? 'gone' : condition.kind === 'move' ? 'move' : condition.price}`;
  });
const attempted = (request: CommandRequest, change: Partial<OutboxEntry> = {}): OutboxEntry =>
  entryOf(request, { attempts: 1, state: 'sending', sequence: 1, ...change });

describe('alerts in the queue', () => {
  it('create then edit are one create of the newest', () => {
    const queue = press(
      [],
      setAlert(1, '100'),
      setAlert(1, '110'),
      setAlert(2, '5'),
      setAlert(1, '120'),
    );
    expect(wants(queue)).toEqual(['2 5', '1 120']);
    expect(queue[1]?.alert?.seenVersion).toBeNull();
  });
  it('create then delete sends nothing, and says so', () => {
    const queue = press([], setAlert(1, '100'));
    const { entries, entry } = coalesce(queue, deleteAlert(1), stamp(), newId);
    expect(entries).toEqual([]);
    expect(entry?.state).toBe('cancelled');
  });
  it('edit then delete of one that the server has is one delete', () => {
    expect(wants(press([], setAlert(1, '100', 3), deleteAlert(1, 3)))).toEqual(['1 gone']);
    expect(wants(press([], deleteAlert(1, 3), setAlert(1, '90', 3)))).toEqual(['1 90']);
  });
  it('what was sent without an answer stays before what comes after it', () => {
    const queue = press([attempted(setAlert(1, '100'))], setAlert(1, '110'), deleteAlert(1));
    expect(wants(queue)).toEqual(['1 100', '1 gone']);
    expect(wants(pick(queue, [], T0))).toEqual(['1 100']);
    expect(pick(queue, [queue[0]!], T0)).toEqual([]);
  });
  it('take the place of what had failed or needed the person about the same alert, and of no other', () => {
    const failed = [
      attempted(setAlert(1, '100'), { state: 'failed' }),
      attempted(setAlert(2, '5'), { state: 'needs-you', sequence: 2 }),
    ];
    expect(wants(press(failed, setAlert(1, '110')))).toEqual(['2 5', '1 110']);
    expect(
      press(failed, stopAll(), stop('x'), start('y')).filter(({ alert }) => alert !== undefined),
    ).toHaveLength(2);
  });
  it('leave agents alone, and are left alone by them', () => {
    const queue = press([], start('x'), setAlert(1, '100'), stopAll());
    expect(said(queue)).toEqual(['set-alert', 'stop-all']);
    expect(said(press([], setAlert(1, '100'), stop('x'), setAlert(1, '110')))).toEqual([
      'stop x',
      'set-alert',
    ]);
  });
  it('go after stops and starts, one by one, and hold back none of them', () => {
    const queue = press([], setAlert(1, '100'), setAlert(2, '5'), start('x'), stop('y'));
    expect(said(pick(queue, [], T0))).toEqual(['stop y']);
    expect(
      said(
        pick(
          queue.filter(({ intent }) => intent !== 'stop'),
          [],
          T0,
        ),
      ),
    ).toEqual(['start x']);
    expect(
      wants(
        pick(
          queue.filter(({ alert }) => alert !== undefined),
          [],
          T0,
        ),
      ),
    ).toEqual(['1 100']);
    // A stop does not wait for an alert that is on its way.
    expect(said(pick(queue, [queue[0]!], T0))).toEqual(['stop y']);
    // A start that waits for its time holds up no alert.
    const later = queue
      .filter(({ intent }) => intent !== 'stop')
      .map((entry) => (entry.intent === 'start' ? { ...entry, nextAttemptAt: T0 + 1 } : entry));
    expect(wants(pick(later, [], T0))).toEqual(['1 100']);
  });
  it('never age', () => {
    for (const change of [{}, { clockMoved: true }])
      expect(aged(entryOf(setAlert(1, '100'), change), T0 + 40 * DAY, null).state).toBe('saved');
  });
  it('know the version that our own earlier command made, and no other', () => {
    const create = attempted(setAlert(1, '100'));
    const [, edit] = press([create], setAlert(1, '110'));
    const versionAfter = (
      delivered: OutboxEntry,
      made: number,
    ): AlertCommand['seenVersion'] | undefined =>
      rebase([edit!], delivered, new Map([[alertId(1), made]]))[0]?.alert?.seenVersion;
    expect(versionAfter(create, 1)).toBe(1);
    expect(versionAfter(attempted(setAlert(2, '100')), 1)).toBeNull();
    expect(versionAfter(attempted(setAlert(1, '100', 4)), 5)).toBeNull();
  });
  it('are refused where the queue is full, and stops are not', () => {
    const many = Array.from({ length: 400 }, (_, index) =>
      entryOf(start(`a${index}`), { sequence: index + 1 }),
    );
    expect(coalesce(many, setAlert(1, '100'), stamp(), newId).entry).toBeNull();
    expect(coalesce(many, stop('x'), stamp(), newId).entry).not.toBeNull();
  });
});

describe('a command about an alert', () => {
  it('asks for the state that is wanted, under its own method', () => {
    const entry = entryOf(setAlert(1, '100', 2));
    expect(requestOf(entry, T0 + 5)).toEqual({
      method: 'PUT',
      path: `/api/alerts/${alertId(1)}`,
      body: {
        symbol: 'BTC/USDT',
        condition: { kind: 'above', price: '100' },
        repeatMinutes: null,
        note: '',
        active: true,
        seenVersion: 2,
        seen: null,
        requestedAt: T0,
        ageMs: 5,
      },
    });
    expect(requestOf(entryOf(deleteAlert(1, 2)), T0)).toEqual({
      method: 'DELETE',
      path: `/api/alerts/${alertId(1)}`,
      body: {},
    });
  });
  const verdict = (request: CommandRequest, status: number, code: string) => {
    const entry = attempted(request);
    return judge(
      entry,
      { status, json: { error: { code, message: 'words' } } },
      { now: T0, random: 0.5, refreshed: false },
    );
  };
  it('asks the person where the alert was changed elsewhere, and fails with the reason where it cannot be', () => {
    expect(verdict(setAlert(1, '100'), 409, 'alert_changed')).toMatchObject({
      verdict: 'settled',
      entry: { state: 'needs-you', alert: { terms: { condition: { price: '100' } } } },
    });
    expect(verdict(setAlert(1, '100'), 403, 'alert_limit_reached')).toMatchObject({
      verdict: 'settled',
      entry: { state: 'failed', reason: { message: 'words' } },
    });
    expect(verdict(setAlert(1, '100', 2), 404, 'not_found')).toMatchObject({
      entry: { state: 'failed' },
    });
  });
  it('to delete what is not there is done', () =>
    expect(verdict(deleteAlert(1, 2), 404, 'not_found')).toEqual({ verdict: 'done' }));
});

describe('records of alerts', () => {
  it('are of a version that a build from before leaves in the queue, and commands to agents of one that it sends', () => {
    expect(entryOf(setAlert(1, '100')).version).toBe(2);
    expect([start('x'), stop('x'), stopAll()].map((request) => entryOf(request).version)).toEqual([
      1, 1, 1,
    ]);
  });
  it('are read back as they were written', () => {
    for (const request of [setAlert(1, '100', 4), deleteAlert(1, 4), stop('x')]) {
      const entry = entryOf(request);
      expect(readEntry(structuredClone(entry))).toEqual({ is: 'entry', entry });
    }
  });
  it('that say neither the one nor the other are set aside, and newer ones left', () => {
    const entry = entryOf(setAlert(1, '100'));
    expect(readEntry({ ...entry, version: 1 })).toEqual({ is: 'unreadable' });
    expect(readEntry({ ...entry, alert: undefined })).toEqual({ is: 'unreadable' });
    expect(readEntry({ ...entry, version: 3 })).toEqual({ is: 'newer' });
  });
});
