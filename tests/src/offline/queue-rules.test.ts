/** Coalescing, order, age and the reply table, rule by rule. */
import { describe, expect, it } from 'vitest';
import { OUTBOX_MAX } from '../../../contract/limits.ts';
import { partlyRefused, rebase } from '../../../src/offline/after-delivery.ts';
import { aged, backoffMs, coalesce } from '../../../src/offline/queue-rules.ts';
import { judge, type Answer } from '../../../src/offline/replies.ts';
import { pick } from '../../../src/offline/send-order.ts';
import {
  entryOf,
  newId,
  press,
  said,
  stamp,
  start,
  startAll,
  stop,
  stopAll,
  T0,
} from './samples.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('what joins', () => {
  it('keeps the first of two equal presses, with its id', () => {
    const [first] = press([], start('x'));
    expect(press([first!], start('x'))).toEqual([first]);
  });
  it('turns start then stop into stop, which is still sent', () =>
    expect(said(press([], start('x'), stop('x')))).toEqual(['stop x']));
  it('keeps stop then start, in order', () =>
    expect(said(press([], stop('x'), start('x')))).toEqual(['stop x', 'start x']));
  it('lets stop-all supersede every unsent start and leave stops alone', () => {
    expect(said(press([], start('x'), stop('y'), startAll('x', 'y'), stopAll()))).toEqual([
      'stop y',
      'stop-all',
    ]);
  });
  it('takes one stopped agent out of an unsent start-all', () => {
    expect(said(press([], startAll('x', 'y'), stop('x')))).toEqual(['start-all y', 'stop x']);
  });
  it('gives what is left of a start-all a new id, attempted or not: it may have gone past the disk (F109)', () => {
    const [whole] = press([], startAll('x', 'y'));
    const [rest] = press([whole!], stop('x'));
    expect(rest).toMatchObject({ agents: [{ id: 'y' }], sequence: 1, attempts: 0 });
    expect(rest!.commandId).not.toBe(whole!.commandId);
    const [asks] = press([{ ...whole!, state: 'needs-you' }], stop('x'));
    expect(asks).toMatchObject({ agents: [{ id: 'y' }], state: 'needs-you' });
    const [same] = press([whole!], stop('z'));
    expect(same).toEqual(whole);
  });
  it('does not merge into what has been attempted', () => {
    const sent = entryOf(stop('x'), { attempts: 1, sequence: 1 });
    expect(press([sent], stop('x'))).toHaveLength(2);
  });
  it('never sends again a start without an answer, once its agent was stopped', () => {
    expect(
      said(press([entryOf(start('x'), { attempts: 1, state: 'sending' })], stop('x'))),
    ).toEqual(['stop x']);
    const [rest, last] = press(
      [
        entryOf(startAll('x', 'y'), {
          attempts: 2,
          commandId: '00000000-0000-4000-8000-aaaaaaaaaaaa',
        }),
      ],
      stop('x'),
    );
    expect(said([rest!, last!])).toEqual(['start-all y', 'stop x']);
    expect(rest!.commandId).not.toBe('00000000-0000-4000-8000-aaaaaaaaaaaa');
  });
  it('keeps a second start after a stop between them', () => {
    expect(said(press([], stopAll(), start('x'), stopAll()))).toEqual(['stop-all']);
    expect(said(press([], stop('x'), start('x'), stop('y')))).toEqual([
      'stop x',
      'start x',
      'stop y',
    ]);
  });
  it('refuses a start where the queue is full, and takes a stop as long as there is any place', () => {
    const many = Array.from({ length: OUTBOX_MAX - 100 }, (_, index) =>
      entryOf(start(`a${index}`), { sequence: index + 1 }),
    );
    expect(coalesce(many, start('one-more'), stamp(), newId).entry).toBeNull();
    expect(coalesce(many, stop('one-more'), stamp(), newId).entry).not.toBeNull();
    const full = Array.from({ length: OUTBOX_MAX }, (_, index) =>
      entryOf(stop(`a${index}`), { sequence: index + 1 }),
    );
    expect(coalesce(full, stop('one-more'), stamp(), newId)).toMatchObject({
      entry: null,
      entries: full,
    });
  });
});

describe('what is sent next', () => {
  it('sends up to four stops at once, before any start', () => {
    const queue = press([], start('s'), ...['a', 'b', 'c', 'd', 'e'].map((id) => stop(id)));
    expect(said(pick(queue, [], T0))).toEqual(['stop a', 'stop b', 'stop c', 'stop d']);
    expect(said(pick(queue, queue.slice(1, 4), T0))).toEqual(['stop d']);
  });
  it('sends starts one by one, and none while its agent waits to be stopped', () => {
    expect(said(pick(press([], start('x'), start('y')), [], T0))).toEqual(['start x']);
    const held = press([], stop('x'), start('x')).map((entry) =>
      entry.intent === 'stop' ? { ...entry, nextAttemptAt: T0 + 1 } : entry,
    );
    expect(pick(held, [], T0)).toEqual([]);
  });
  it('sends a stop beside a start that is on its way, unless it is of the same agent', () => {
    const queue = press([], start('x'), stop('y'));
    expect(said(pick(queue, [queue[0]!], T0))).toEqual(['stop y']);
    expect(pick([entryOf(stop('x'))], [entryOf(start('x'))], T0)).toEqual([]);
  });
  it('does not wait for a day because the clock was set back', () => {
    expect(pick([entryOf(stop('x'), { nextAttemptAt: T0 + 24 * HOUR })], [], T0)).toHaveLength(1);
  });
  it('lets a start after our own stop know the generation which that stop made, and no other', () => {
    const [first, second] = press([], stop('x', 7), start('x', 7));
    expect(rebase([second!], first!, new Map([['x', 8]]))[0]!.seenGeneration).toBe(8);
    expect(rebase([second!], first!, new Map([['x', 9]]))[0]!.seenGeneration).toBe(7);
  });
  it('waits with full jitter from one second up to sixty', () => {
    expect([backoffMs(0, 0), backoffMs(0, 1), backoffMs(3, 1), backoffMs(50, 1)]).toEqual([
      0, 1_000, 8_000, 60_000,
    ]);
  });
});

describe('what time does', () => {
  const after = (ms: number, change = {}, offset: number | null = null) =>
    aged(entryOf(start('x'), change), T0 + ms, offset).state;
  it('sends a start by itself for 30 minutes, asks until 24 hours, then lets it lapse', () => {
    expect([
      after(30 * MINUTE),
      after(30 * MINUTE + 1),
      after(24 * HOUR),
      after(24 * HOUR + 1),
    ]).toEqual(['saved', 'needs-you', 'needs-you', 'lapsed']);
  });
  it('says of a start that was sent without an answer not that it was never sent', () => {
    const lapsed = (attempts: number): string | undefined =>
      aged(entryOf(start('x'), { attempts }), T0 + 25 * HOUR, null).reason?.message;
    expect([lapsed(0), lapsed(1)]).toEqual([
      'This start waited for more than 24 hours and was not sent',
      'This start waited for more than 24 hours and was not confirmed',
    ]);
  });
  it('asks when the clock was set: back before the press, or against the server by more than two minutes', () => {
    expect(after(-1)).toBe('needs-you');
    expect(after(1_000, { clockOffsetMs: 0 }, 119_000)).toBe('saved');
    expect(after(1_000, { clockOffsetMs: 0 }, 24 * HOUR)).toBe('needs-you');
    expect(after(1_000, { clockMoved: true })).toBe('needs-you');
  });
  it('never ages a stop', () =>
    expect(aged(entryOf(stop('x')), T0 + 365 * 24 * HOUR, null).state).toBe('saved'));
});

describe('what a reply means', () => {
  const error = (code: string) => ({ error: { code, message: 'words' } });
  const verdict = (request = start('x'), answer: Partial<Answer> = {}, refreshed = false) => {
    const entry = entryOf(request, { attempts: 1, state: 'sending' });
    const json = answer.json === 'echo' ? { commandId: entry.commandId } : answer.json;
    return judge(entry, { status: 200, ...answer, json }, { now: T0, random: 0.5, refreshed });
  };
  it('is done only by the echo of the id', () => {
    expect(verdict(start('x'), { json: 'echo' })).toEqual({ verdict: 'done' });
    for (const json of [undefined, {}, 'hello', { commandId: 'another' }])
      expect(verdict(start('x'), { json }).verdict).toBe('again');
  });
  it.each([400, 422, 413])('fails on %i and stays visible', (status) => {
    expect(verdict(start('x'), { status, json: error('invalid_request') })).toMatchObject({
      verdict: 'settled',
      entry: { state: 'failed', reason: { message: 'words' } },
    });
  });
  it.each(['reauth_required', 'token_revoked'])('waits for a sign-in on %s (F29, F30)', (code) => {
    for (const refreshed of [false, true])
      expect(verdict(stop('x'), { status: 401, json: error(code) }, refreshed)).toMatchObject({
        verdict: 'pause',
        why: 'sign-in',
      });
  });
  it('refreshes a token once, then tries later: another 401 says nothing of the session', () => {
    const refused = { status: 401, json: error('invalid_token') };
    expect(verdict(stop('x'), refused).verdict).toBe('refresh');
    expect(verdict(stop('x'), refused, true)).toMatchObject({
      verdict: 'again',
      noAnswer: false,
      entry: { state: 'saved', failures: 1, reason: { code: 'invalid_token' } },
    });
  });
  it.each([402, 403])('fails a start on %i with its reason, and never a stop', (status) => {
    expect(verdict(start('x'), { status, json: error('plan_lapsed') })).toMatchObject({
      verdict: 'settled',
      entry: { state: 'failed' },
    });
    expect(verdict(stop('x'), { status, json: error('plan_lapsed') }).verdict).toBe('again');
  });
  it('asks before a start with real money, which the queue never makes', () => {
    const answer = { status: 403, json: error('step_up_required') };
    expect(verdict(start('x'), answer)).toMatchObject({
      verdict: 'settled',
      entry: { state: 'needs-you', reason: { code: 'step_up_required' } },
    });
    expect(verdict(stop('x'), answer).verdict).toBe('again');
  });
  it('takes 404 as the end of a start and the success of a stop, if Tradewind says so', () => {
    expect(verdict(start('x'), { status: 404, json: error('not_found') })).toMatchObject({
      verdict: 'settled',
      entry: { state: 'failed' },
    });
    expect(verdict(stop('x'), { status: 404, json: error('not_found') }).verdict).toBe('done');
    expect(verdict(stop('x'), { status: 404, json: undefined }).verdict).toBe('again');
  });
  it('asks on 409, lapses on 410, waits for an update on 426', () => {
    expect(verdict(start('x'), { status: 409, json: error('agent_changed') })).toMatchObject({
      verdict: 'settled',
      entry: { state: 'needs-you' },
    });
    expect(verdict(start('x'), { status: 410, json: error('command_lapsed') })).toMatchObject({
      verdict: 'settled',
      entry: { state: 'lapsed' },
    });
    expect(verdict(stop('x'), { status: 426, json: error('contract_too_old') })).toMatchObject({
      verdict: 'pause',
      why: 'update',
      entry: { state: 'saved' },
    });
  });
  it('waits as long as 429 says and a little more, but not for ever', () => {
    expect(
      verdict(stop('x'), { status: 429, json: error('rate_limited'), retryAfterMs: 5_000 }),
    ).toMatchObject({ verdict: 'again', entry: { nextAttemptAt: T0 + 5_500 } });
    expect(
      verdict(stop('x'), { status: 429, json: error('rate_limited'), retryAfterMs: 1e12 }),
    ).toMatchObject({ entry: { nextAttemptAt: T0 + 600_000 } });
  });
  it.each([500, 502, 503, 504, 302, 0])(
    'does not know what %i means for the command and sends the same id again',
    (status) => {
      for (const json of [undefined, error('internal')]) {
        if (status === 302 && json !== undefined) continue;
        expect(verdict(stop('x'), { status, json })).toMatchObject({
          verdict: 'again',
          entry: { state: 'saved', failures: 1, nextAttemptAt: T0 + 500 },
        });
      }
    },
  );
});

describe('a command for many that went in part', () => {
  const results = [
    { agentId: 'x', name: 'Harbour', went: true, message: '' },
    { agentId: 'y', name: 'Drift', went: false, message: 'It has changed' },
  ];
  it('stays as a failure that names who did not go, so that sending it again concerns them alone', () => {
    const left = partlyRefused(entryOf(startAll('x', 'y')), results, T0);
    expect(left).toMatchObject({
      state: 'failed',
      agents: [{ id: 'y', seenGeneration: 1 }],
      results,
      reason: { code: 'partly_refused', message: '1 of 2 started' },
    });
  });
  it('leaves nothing where all went, or where nothing was said of each', () => {
    expect(partlyRefused(entryOf(startAll('x')), results.slice(0, 1), T0)).toBeNull();
    expect(partlyRefused(entryOf(stop('x')), [], T0)).toBeNull();
  });
});

it('a confirmed start that goes on waiting is asked about again after 30 minutes: it was confirmed at the prices of then', () => {
  const confirmed = entryOf({ ...start('x'), confirmed: true });
  expect(aged(confirmed, T0 + 29 * MINUTE, null).state).toBe('saved');
  expect(aged(confirmed, T0 + 31 * MINUTE, null).state).toBe('needs-you');
});
