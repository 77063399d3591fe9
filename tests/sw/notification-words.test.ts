/** What a notification says, and above all what it does not say on a lock screen that was not meant to see it. */
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../contract/agents.ts';
import { PUSH_KINDS, type PushPayload } from '../../contract/push.ts';
import { notificationOf } from '../../sw/notification-words.ts';

const agent = { id: 'a1', name: 'Harbour-Secret', status: 'halted', generation: 4, openPositions: 2 } as unknown as Agent;
const payload = (change: Partial<PushPayload>): PushPayload => ({
  version: 1, id: 'm', uid: 'u', kind: 'stopLoss', showDetails: false, sentAt: 1_000, sequence: 9,
  facts: { agentId: 'a1', agentName: 'Harbour-Secret', pair: 'ETH/USDT', realized: '-52.409', quote: 'USDT', text: 'Day loss above 6 %', status: 'halted', count: 3, waitedMs: 7_200_000, endsAt: 86_401_000 },
  state: { agents: [agent], wholeAgents: true, asOf: 1, portfolio: null, fill: null }, ...change,
});

describe('a notification', () => {
  it.each(PUSH_KINDS)('of kind %s names no agent, pair or amount unless that was asked for', (kind) => {
    const { title, body, target, actions } = notificationOf(payload({ kind }), 'fresh');
    expect(`${title} ${body} ${JSON.stringify(target)} ${JSON.stringify(actions)}`).not.toMatch(/Harbour|ETH|52\.4|Day loss/);
    expect(title.length > 0 && body.length > 0).toBe(true);
  });

  it('says who, what and how much where that was asked for', () => {
    expect(notificationOf(payload({ showDetails: true }), 'fresh').body).toBe('Harbour-Secret closed ETH/USDT: \u221252.40 USDT. On paper.');
    expect(notificationOf(payload({ showDetails: true, kind: 'lateStop' }), 'fresh').body).toBe('Harbour-Secret is stopped. The stop had waited 2 h on a device. Its positions stay open, protected by their stops.');
    expect(notificationOf(payload({ kind: 'trialEnding' }), 'fresh').title).toBe('Your trial ends in 24 h');
    expect(notificationOf(payload({ kind: 'fills' }), 'fresh').title).toBe('3 new trades');
  });

  it('says that the device is behind where it is, and only there', () => {
    expect(notificationOf(payload({}), 'behind').body).toMatch(/may be behind\.$/);
    for (const kept of ['fresh', 'not-kept', 'again'] as const) expect(notificationOf(payload({}), kept).body).not.toMatch(/behind/);
  });

  it('offers Stop only while there is something to stop, and is silent the second time', () => {
    expect(notificationOf(payload({}), 'fresh')).toMatchObject({ renotify: true, silent: false, actions: [{ action: 'open' }, { action: 'stop' }], target: { stop: { id: 'a1', name: '', generation: 4 } } });
    const stopped = { ...payload({}).state, agents: [{ ...agent, status: 'stopped' as const }] };
    expect(notificationOf(payload({ state: stopped }), 'again')).toMatchObject({ renotify: false, silent: true, actions: [{ action: 'open' }], target: { stop: null } });
  });

  it('stays on the screen only where an agent stands still: the rest may go by itself', () => {
    expect(PUSH_KINDS.filter((kind) => notificationOf(payload({ kind }), 'fresh').requireInteraction)).toEqual(['agentHeld']);
  });

  it('takes one place an agent and kind, and leads to what it is about', () => {
    const of = (kind: PushPayload['kind']) => { const { tag, target } = notificationOf(payload({ kind }), 'fresh'); return [tag, target.path]; };
    expect([of('agentHeld'), of('stopLoss'), of('trialEnding')]).toEqual([['agentHeld:a1', '/agents/a1'], ['stopLoss:a1', '/portfolio'], ['trialEnding:a1', '/subscription']]);
  });
});
