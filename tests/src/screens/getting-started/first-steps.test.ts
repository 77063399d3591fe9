// @vitest-environment happy-dom
/** The first steps: what ticks them, what is next, and what a device remembers of them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetPerson, writeLastUser } from '../../../../src/identity/last-user.ts';
import { note, readNotes } from '../../../../src/screens/getting-started/step-notes.ts';
import {
  progressOf,
  stepsOf,
  type Facts,
  type Step,
} from '../../../../src/screens/getting-started/first-steps.ts';
import { routeOf } from '../../../../src/shell/routes.ts';

const NEW: Facts = {
  deposit: '10 000.00 USDT',
  subscribed: false,
  hasUsedTrial: false,
  agents: 0,
  everStarted: false,
  trades: 0,
  keeps: true,
  kept: false,
  installed: false,
  notified: 'off',
  hasSeenSecurity: false,
  hasReadRisk: false,
};
const stateOf = (facts: Facts): Record<string, Step['state']> =>
  Object.fromEntries(stepsOf(facts).map(({ id, state }) => [id, state]));
const doneWith = (part: Partial<Facts>): string[] =>
  stepsOf({ ...NEW, ...part })
    .filter(({ state }) => state === 'done')
    .map(({ id }) => id);

describe('the first steps', () => {
  it('begin with the account made and the risks as the next step (R2-09)', () => {
    expect(doneWith({})).toEqual(['account']);
    expect(progressOf(stepsOf(NEW))).toMatchObject({ done: 1, of: 10, next: { id: 'risk' } });
  });

  it('tick themselves one by one, each from its own fact (R2-09)', () => {
    expect(doneWith({ hasReadRisk: true })).toEqual(['account', 'risk']);
    expect(doneWith({ subscribed: true })).toEqual(['account', 'plan']);
    expect(doneWith({ agents: 1 })).toEqual(['account', 'agent']);
    expect(doneWith({ agents: 1, everStarted: true })).toEqual(['account', 'agent', 'start']);
    expect(doneWith({ agents: 1, everStarted: true, trades: 3 })).toEqual([
      'account',
      'agent',
      'start',
      'fill',
    ]);
    expect(doneWith({ kept: true })).toEqual(['account', 'snapshot']);
    expect(doneWith({ hasSeenSecurity: true })).toEqual(['account', 'security']);
    expect(doneWith({ installed: true })).toEqual(['account', 'install']);
    expect(doneWith({ notified: 'on' })).toEqual(['account', 'notify']);
  });

  it('stay ticked where the agent is gone but its trades are not', () => {
    expect(doneWith({ agents: 0, everStarted: false, trades: 2 })).toEqual([
      'account',
      'agent',
      'start',
      'fill',
    ]);
  });

  it('call unknown what nobody here can know, and never ask for it as the next step', () => {
    const dark = { ...NEW, subscribed: null, agents: null, everStarted: null, trades: null };
    expect(stateOf(dark)).toMatchObject({
      plan: 'unknown',
      agent: 'unknown',
      start: 'unknown',
      fill: 'unknown',
      account: 'done',
    });
    expect(progressOf(stepsOf({ ...dark, hasReadRisk: true })).next?.id).toBe('snapshot');
  });

  it('do not count what this browser cannot do, and ask for what it can be allowed to', () => {
    expect(progressOf(stepsOf({ ...NEW, notified: 'unsupported' })).of).toBe(9);
    expect(stateOf({ ...NEW, notified: 'denied' }).notify).toBe('open');
    expect(stateOf({ ...NEW, notified: 'install' }).notify).toBe('open');
  });

  it('have no next step when all is done', () => {
    const all: Facts = {
      ...NEW,
      subscribed: true,
      agents: 2,
      everStarted: true,
      trades: 1,
      kept: true,
      installed: true,
      notified: 'on',
      hasSeenSecurity: true,
      hasReadRisk: true,
    };
    expect(progressOf(stepsOf(all))).toEqual({ done: 10, of: 10, next: null });
  });

  it('lead each to a screen that there is, also after the trial', () => {
    for (const facts of [NEW, { ...NEW, hasUsedTrial: true }])
      for (const { to, id } of stepsOf(facts)) expect(routeOf(to), id).toBeDefined();
    expect(stepsOf({ ...NEW, hasUsedTrial: true }).find(({ id }) => id === 'plan')).toMatchObject({
      action: 'View plans',
      state: 'open',
    });
  });
});

describe('what a device remembers of them', () => {
  beforeEach(() => {
    localStorage.clear();
    writeLastUser({ uid: 'u1', email: null, lastSignInTime: null });
  });

  it('is of the person who is here, and adds up', () => {
    note('u1', 'security');
    note('u1', 'risk');
    expect([...readNotes('u1')].sort()).toEqual(['risk', 'security']);
    expect([...readNotes('u2')]).toEqual([]);
  });

  it('is not written for a person who has left, and goes with them', () => {
    note('u2', 'security');
    expect(localStorage.getItem('tradewind.firstSteps')).toBeNull();
    note('u1', 'hidden');
    forgetPerson('u1');
    expect([...readNotes('u1')]).toEqual([]);
  });

  it('survives a record that is no record', () => {
    localStorage.setItem('tradewind.firstSteps', 'u1 security,<b>,hidden,');
    expect([...readNotes('u1')]).toEqual(['security', 'hidden']);
  });
});
