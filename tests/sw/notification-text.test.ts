/**
 * What a notification says, and above all what it does not say on a lock screen that was not meant
 * to see it.
 */
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../contract/agents.ts';
import type { AlertFiring } from '../../contract/alerts.ts';
import { LiveFact, PUSH_KINDS, type PushPayload } from '../../contract/push.ts';
import { notificationOf } from '../../sw/notification-text.ts';

const agent = {
  id: 'a1',
  name: 'Harbour-Secret',
  status: 'halted',
  generation: 4,
  openPositions: 2,
} as unknown as Agent;
const payload = (change: Partial<PushPayload>): PushPayload => ({
  version: 1,
  id: 'm',
  uid: 'u',
  kind: 'stopLoss',
  showDetails: false,
  sentAt: 1_000,
  sequence: 9,
  facts: {
    agentId: 'a1',
    agentName: 'Harbour-Secret',
    pair: 'ETH/USDT',
    realized: '-52.409',
    quote: 'USDT',
    text: 'Day loss above 6 %',
    status: 'halted',
    count: 3,
    waitedMs: 7_200_000,
    endsAt: 86_401_000,
  },
  state: { agents: [agent], wholeAgents: true, asOf: 1, portfolio: null, fill: null },
  ...change,
});

describe('a notification', () => {
  it.each(PUSH_KINDS.filter((kind) => kind !== 'priceAlert'))(
    'of kind %s names no agent, pair or amount unless that was asked for',
    (kind) => {
      const { title, body, target, actions } = notificationOf(payload({ kind }), 'fresh');
      expect(`${title} ${body} ${JSON.stringify(target)} ${JSON.stringify(actions)}`).not.toMatch(
        /Harbour|ETH|52\.4|Day loss/,
      );
      expect(title.length > 0 && body.length > 0).toBe(true);
    },
  );

  const firing: AlertFiring = {
    id: 'f',
    alertId: 'x',
    symbol: 'ETH/USDT',
    condition: { kind: 'above', price: '2500' },
    note: 'Sell half',
    price: '2512.5',
    movedBps: null,
    at: Date.UTC(2026, 0, 5, 12),
    late: false,
    simulated: true,
    recorded: false,
    recordedAt: 1,
  };
  const alert = (
    change: Partial<AlertFiring>,
    facts = {},
    showDetails = false,
    now: number = firing.at,
  ) =>
    notificationOf(
      payload({
        kind: 'priceAlert',
        showDetails,
        facts: {
          agentId: null,
          agentName: null,
          pair: 'ETH/USDT',
          count: 1,
          firing: { ...firing, ...change },
          ...facts,
        },
      }),
      'fresh',
      now,
    );

  it('of a price alert says the day where it was not reached today', () => {
    const late = { simulated: false, late: true };
    const midnight = new Date(2026, 0, 5).getTime();
    const at = (ms: number) => alert({ ...late, at: ms }, {}, false, midnight + 1);
    expect(at(midnight).body).toBe('2,512.5 at 00:00, detected later.');
    expect(at(midnight - 1).body).toBe('2,512.5 on Jan 4, 2026 at 23:59, detected later.');
    const many = alert(late, { count: 7, pairs: ['BTC/USDT'] }, false, firing.at + 3 * 86_400_000);
    expect(many.body).toMatch(/2,512\.5 on Jan \d, 2026 at \d\d:\d\d, detected later\.$/);
  });

  it('of a price alert names pair and price, which are no secret, with its time; the note only where that was asked for', () => {
    expect(alert({})).toMatchObject({
      title: 'ETH/USDT above 2,500',
      target: { path: '/market/ETH-USDT', stop: null },
    });
    expect(alert({}).body).toMatch(/^2,512\.5 at \d\d:\d\d\. Simulated prices\.$/);
    expect(alert({}, {}, true).body).toMatch(
      /^2,512\.5 at \d\d:\d\d\. Sell half\. Simulated prices\.$/,
    );
    expect(alert({ simulated: false, late: true }).body).toMatch(
      /^2,512\.5 at \d\d:\d\d, detected later\.$/,
    );
    expect(alert({ recorded: true }).body).toMatch(/^2,512\.5 at \d\d:\d\d\. Recorded prices\.$/);
    expect(alert({ recorded: undefined }).body).toMatch(/ Not live prices\.$/);
    const move = { kind: 'move', direction: 'either', bps: 500, windowMinutes: 60 } as const;
    expect(alert({ condition: move, movedBps: -512 }).title).toBe(
      'ETH/USDT \u22125.1 % within 1 h',
    );
    expect(JSON.stringify([alert({}), alert({ simulated: false })])).not.toMatch(/PAPER|paper/);
  });

  it('of several price alerts says how many and which pairs, and leads to their list', () => {
    const many = alert({}, { count: 7, pairs: ['BTC/USDT', 'ETH/USDT'] });
    expect(many).toMatchObject({
      title: '7 price alerts were reached',
      target: { path: '/alerts' },
    });
    expect(many.body).toMatch(/^BTC\/USDT, ETH\/USDT\. Latest: ETH\/USDT above 2,500, /);
    const more = alert({}, { count: 7, pairs: ['BTC/USDT', 'ETH/USDT'], morePairs: 3 });
    expect(more.body).toMatch(/^BTC\/USDT, ETH\/USDT and 3 more\. Latest: ETH\/USDT above /);
  });

  it('says who, what and how much where that was asked for', () => {
    expect(notificationOf(payload({ showDetails: true }), 'fresh').body).toBe(
      'Harbour-Secret closed ETH/USDT: \u221252.40 USDT (paper money).',
    );
    const stopped = { ...payload({}).state, agents: [{ ...agent, status: 'stopped' as const }] };
    const lateStop = payload({ showDetails: true, kind: 'lateStop', state: stopped });
    expect(notificationOf(lateStop, 'fresh').body).toBe(
      'Harbour-Secret is stopped. The stop waited 2 h on a device. Its positions stay open, protected by their stop losses.',
    );
    expect(notificationOf(payload({ kind: 'fills' }), 'fresh').title).toBe('3 new trades');
  });

  it('says when a trial ends, which a push service that keeps it for hours makes no less true', () => {
    const endsAt = new Date(2026, 0, 5, 9, 30).getTime();
    const facts = { agentId: null, agentName: null, endsAt };
    const titleAt = (now: number) =>
      notificationOf(payload({ kind: 'trialEnding', facts }), 'fresh', now).title;
    for (const hoursLeft of [24, 5])
      expect(titleAt(endsAt - hoursLeft * 3_600_000)).toBe(
        'Your trial ends on Jan 5, 2026 at 09:30',
      );
  });

  it('says that the device is behind where it is, and only there', () => {
    expect(notificationOf(payload({}), 'behind').body).toMatch(/may be out of date\.$/);
    for (const kept of ['fresh', 'not-kept', 'again'] as const)
      expect(notificationOf(payload({}), kept).body).not.toMatch(/out of date/);
  });

  it('offers Stop only while there is something to stop, and is silent the second time', () => {
    expect(notificationOf(payload({}), 'fresh')).toMatchObject({
      renotify: true,
      silent: false,
      actions: [{ action: 'open' }, { action: 'stop' }],
      target: { stop: { id: 'a1', name: '', generation: 4 } },
    });
    const stopped = { ...payload({}).state, agents: [{ ...agent, status: 'stopped' as const }] };
    expect(notificationOf(payload({ state: stopped }), 'again')).toMatchObject({
      renotify: false,
      silent: true,
      actions: [{ action: 'open' }],
      target: { stop: null },
    });
  });

  it('stays on the screen only where an agent stands still: the rest may go by itself', () => {
    expect(
      PUSH_KINDS.filter((kind) => notificationOf(payload({ kind }), 'fresh').requireInteraction),
    ).toEqual(['agentHeld']);
  });

  describe('that waited while its agent went on', () => {
    const since = (
      kind: 'lateStop' | 'agentHeld',
      status: Agent['status'] | 'deleted',
      facts: Partial<PushPayload['facts']> = {},
    ) => {
      const about = payload({ kind });
      const sent = (showDetails: boolean) =>
        notificationOf(
          {
            ...about,
            showDetails,
            facts: { ...about.facts, ...facts },
            state: { ...about.state, agents: status === 'deleted' ? [] : [{ ...agent, status }] },
          },
          'fresh',
        );
      return { plain: sent(false), detailed: sent(true) };
    };
    const DAY_LOSS = 'Down 6.2 % today, the limit is 6 %: no new trades until 6 Jan, 00:00.';

    it('tells of the halt in the past and that the agent runs again', () => {
      const { plain, detailed } = since('agentHeld', 'running', { text: DAY_LOSS });
      expect(plain).toMatchObject({ title: 'An agent was halted', body: 'It runs again.' });
      expect(detailed.body).toBe(
        'Harbour-Secret was halted: Down 6.2 % today, the limit is 6 %. It runs again.',
      );
      expect(detailed.target.stop).toMatchObject({ id: 'a1' });
    });

    it('tells of the failure in the past, without asking for a start', () => {
      const failed = { status: 'faulted', text: 'Start the agent to try again.' };
      const { plain, detailed } = since('agentHeld', 'running', failed);
      expect(plain).toMatchObject({ title: 'An agent failed', body: 'It runs again.' });
      expect(detailed.body).toBe('Harbour-Secret failed. It runs again.');
    });

    it('says that a halted agent has been stopped or deleted since', () => {
      expect(since('agentHeld', 'stopped').plain.body).toBe('It has been stopped since.');
      expect(since('agentHeld', 'deleted').plain.body).toBe('It has been deleted since.');
    });

    it('calls no agent stopped that was started after its late stop', () => {
      const { plain, detailed } = since('lateStop', 'running');
      expect(plain.body).toBe('It waited 2 h on a device. The agent runs again.');
      expect(detailed.body).toBe(
        'Harbour-Secret was stopped. The stop waited 2 h on a device. The agent runs again.',
      );
      expect(since('lateStop', 'halted').plain.body).toMatch(/The agent has been halted since\.$/);
      expect(since('lateStop', 'faulted').plain.body).toMatch(/The agent has failed since\.$/);
      expect(since('lateStop', 'deleted').detailed.body).toMatch(/deleted since\.$/);
    });

    it('does not stay on the screen, as there is nothing to deal with', () => {
      expect(since('agentHeld', 'running').plain.requireInteraction).toBe(false);
      expect(since('agentHeld', 'stopped').plain.requireInteraction).toBe(false);
      expect(since('agentHeld', 'faulted').plain.requireInteraction).toBe(true);
    });

    it('says what it heard of an agent that the message had no room for', () => {
      const about = payload({ kind: 'agentHeld' });
      const state = { ...about.state, agents: [], wholeAgents: false };
      expect(notificationOf({ ...about, state }, 'fresh')).toMatchObject({
        body: 'No new trades. Stop losses stay active.',
        requireInteraction: true,
      });
    });
  });

  it('says that money is real, of which account, and leads there', () => {
    const facts = {
      agentId: null,
      agentName: null,
      pair: 'BTC/USD',
      live: { what: 'unknown' as const, connectionId: 'c1', label: 'My Kraken' },
    };
    const hidden = notificationOf(payload({ kind: 'liveOrder', facts }), 'fresh');
    expect(`${hidden.title} ${hidden.body}`).not.toMatch(/My Kraken|BTC/);
    const shown = notificationOf(payload({ kind: 'liveOrder', facts, showDetails: true }), 'fresh');
    expect(shown.title).toBe('Real money: an order is unknown');
    expect(shown.body).toContain('My Kraken, BTC/USD: Its outcome has been unknown');
    expect(shown).toMatchObject({ tag: 'liveOrder:m', target: { path: '/live/c1', stop: null } });
  });

  it.each(LiveFact.options)('has words for %s that say that the money is real', (what) => {
    const facts = {
      agentId: null,
      agentName: null,
      live: { what, connectionId: 'c1', label: 'My Kraken' },
    };
    const { title, body } = notificationOf(payload({ kind: 'liveConnection', facts }), 'fresh');
    expect(title).toMatch(/^Real money: /);
    expect(body).not.toMatch(/paper/i);
  });

  it.each([
    ['too_small_to_sell', 'Real money: too little to sell at a stop loss', 'worth too little'],
    ['sale_refused', 'Real money: a sale was refused', 'keeps trying'],
    ['of_a_later_server', 'Real money: your account needs a look', 'does not fit'],
  ])(
    'says of %s what it is, and of what it does not know that it needs a look',
    (why, title, part) => {
      const facts = {
        agentId: null,
        agentName: null,
        live: { what: 'check' as const, why, connectionId: 'c1', label: 'My Kraken' },
      };
      const shown = notificationOf(payload({ kind: 'liveStop', facts }), 'fresh');
      expect(shown.title).toBe(title);
      expect(shown.body).toContain(part);
    },
  );

  it('keeps apart what no later one makes useless', () => {
    const about = { agentId: 'a1', agentName: 'Harbour', pair: 'ETH/USDT' };
    const tagOf = (
      kind: PushPayload['kind'],
      id: string,
      facts: Partial<PushPayload['facts']> = {},
    ) => notificationOf(payload({ id, kind, facts: { ...about, ...facts } }), 'fresh').tag;
    const live = (what: LiveFact) => ({
      agentId: null,
      live: { what, connectionId: 'c1', label: 'My Kraken' },
    });
    // A stop loss, or an order, of its own.
    expect(tagOf('stopLoss', 'm1')).not.toBe(tagOf('stopLoss', 'm2'));
    expect(tagOf('liveStop', 'm1', live('stop_hit'))).not.toBe(
      tagOf('liveStop', 'm2', live('stop_hit')),
    );
    expect(tagOf('liveOrder', 'm1', live('unknown'))).not.toBe(
      tagOf('liveOrder', 'm2', live('unknown')),
    );
    // A connection that fails again says the same; a key that is refused says something else.
    expect(tagOf('liveConnection', 'm1', live('unreachable'))).toBe(
      tagOf('liveConnection', 'm2', live('unreachable')),
    );
    expect(tagOf('liveConnection', 'm1', live('unreachable'))).not.toBe(
      tagOf('liveConnection', 'm2', live('key_refused')),
    );
    expect(tagOf('liveLoss', 'm1', live('daily_loss'))).toBe(
      tagOf('liveLoss', 'm2', live('daily_loss')),
    );
  });

  it('has an alert that is reached again replace itself, but no message that told of several', () => {
    const tagOf = (id: string, count: number) =>
      notificationOf(
        payload({
          id,
          kind: 'priceAlert',
          facts: { agentId: null, agentName: null, pair: 'SOL/USDT', firing, count },
        }),
        'fresh',
      ).tag;
    expect(tagOf('m1', 1)).toBe(tagOf('m2', 1));
    expect(tagOf('m1', 3)).not.toBe(tagOf('m2', 1));
    expect(tagOf('m1', 3)).not.toBe(tagOf('m2', 3));
  });

  it('takes one place an agent and kind, and leads to what it is about', () => {
    const of = (kind: PushPayload['kind']) => {
      const { tag, target } = notificationOf(payload({ kind }), 'fresh');
      return [tag, target.path];
    };
    expect([of('agentHeld'), of('fills'), of('trialEnding')]).toEqual([
      ['agentHeld:a1', '/agents/a1'],
      ['fills:a1', '/portfolio'],
      ['trialEnding:a1', '/subscription'],
    ]);
  });
});
