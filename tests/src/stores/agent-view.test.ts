/** An agent with what waits to be sent laid over it. */
import { describe, expect, it } from 'vitest';
import type { OutboxEntry } from '../../../src/offline/outbox-entry.ts';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import {
  agentView,
  commandText,
  failedStops,
  runningText,
  statusText,
  untilThen,
} from '../../../src/stores/agent-view.ts';

const agent = { ...recordAgent('a', 'Harbour', 0), status: 'running' as const };
const entry = (more: Partial<OutboxEntry>): OutboxEntry => ({
  version: 1,
  commandId: '0b6f2f6e-93a5-4c1c-9f4a-000000000001',
  uid: 'u',
  intent: 'stop',
  agentId: 'a',
  agentName: 'Harbour',
  agents: [],
  seenGeneration: 1,
  sequence: 1,
  createdAt: 0,
  clockOffsetMs: 0,
  clockMoved: false,
  contractVersion: 1,
  attempts: 0,
  failures: 0,
  nextAttemptAt: null,
  state: 'saved',
  reason: null,
  confirmed: false,
  ...more,
});

describe('agent view', () => {
  it("keeps the server's word for what is so, and words the request apart from it", () => {
    const view = agentView(agent, [entry({})]);
    expect(view).toMatchObject({
      statusText: 'Running',
      pendingIntent: 'stop',
      canStop: false,
      alert: false,
    });
    expect(view.commandText).toBe(
      'Stop saved on this device. Not yet received by the server. The agent keeps trading until then.',
    );
    expect(view.agent.status).toBe('running');
  });

  it('says that trading goes on only of what runs and has surely not been told', () => {
    const all = entry({ intent: 'stop-all', agentId: null });
    const two = [
      { id: 'a', status: 'running' as const },
      { id: 'b', status: 'running' as const },
    ];
    expect(untilThen(all, two)).toBe(' Your agents keep trading until then.');
    expect(untilThen(entry({}), two)).toBe(' The agent keeps trading until then.');
    expect([
      untilThen(entry({ attempts: 1 }), two),
      untilThen(entry({ intent: 'start' }), two),
      untilThen(entry({}), [{ id: 'a', status: 'halted' }]),
    ]).toEqual(['', '', '']);
  });

  it('does not claim that a command which was on its way has not arrived', () => {
    expect(commandText(entry({ attempts: 1 }))).toBe(
      'Stop saved on this device. Sent, but not confirmed by the server.',
    );
  });

  it('lets stop-all concern every agent and start-all only the ones that were seen', () => {
    expect(agentView(agent, [entry({ intent: 'stop-all', agentId: null })]).pendingIntent).toBe(
      'stop',
    );
    expect(
      agentView(agent, [entry({ intent: 'start-all', agentId: null, agents: [{ id: 'b' }] })])
        .pendingIntent,
    ).toBeNull();
    expect(
      agentView({ ...agent, status: 'stopped' }, [
        entry({ intent: 'start-all', agentId: null, agents: [{ id: 'a' }] }),
      ]),
    ).toMatchObject({ pendingIntent: 'start', canStart: false, canStop: true });
  });

  it('takes the newest command that is not over, and alerts of a stop that failed', () => {
    expect(
      agentView(agent, [entry({ sequence: 1, intent: 'start' }), entry({ sequence: 2 })])
        .pendingIntent,
    ).toBe('stop');
    const failed = agentView(agent, [
      entry({ state: 'failed', reason: { code: 'internal', message: 'the server failed', at: 0 } }),
    ]);
    expect(failed).toMatchObject({
      alert: true,
      pendingIntent: null,
      canStop: true,
      commandText: 'Stop failed: the server failed',
    });
    expect(agentView(agent, [entry({ state: 'cancelled' })])).toMatchObject({
      entry: null,
      commandText: null,
    });
  });

  it('lets Stop and Start be pressed by the state of the server once a command is accepted', () => {
    const accepted = entry({ state: 'accepted', attempts: 1 });
    expect(agentView(agent, [accepted])).toMatchObject({
      canStop: true,
      commandText: 'Stop accepted by the server.',
    });
    const started = entry({ intent: 'start', state: 'accepted', attempts: 1 });
    expect(agentView({ ...agent, status: 'stopped' }, [started])).toMatchObject({
      canStart: true,
      canStop: true,
    });
    expect(agentView(agent, [entry({ sequence: 1 }), { ...started, sequence: 2 }]).canStop).toBe(
      false,
    );
  });

  it('says what a stopped agent still protects', () => {
    expect(statusText({ status: 'stopped', openPositions: 2, hold: null })).toBe(
      'Stopped, protecting 2 positions',
    );
    expect(statusText({ status: 'stopped', openPositions: 1, hold: null })).toBe(
      'Stopped, protecting 1 position',
    );
    expect(
      statusText({
        status: 'halted',
        openPositions: 0,
        hold: { code: 'x', text: 'day loss', until: null },
      }),
    ).toBe('Halted: day loss');
    expect(
      commandText(
        entry({
          intent: 'start',
          state: 'needs-you',
          reason: { code: 'x', message: 'it is 40 min old', at: 0 },
        }),
      ),
    ).toBe('Start needs you: it is 40 min old');
  });

  it("says of the server's last word that it is the last word, for every state, and counts by it", () => {
    const said = (part: Parameters<typeof statusText>[0]) => statusText(part, false);
    expect(said({ status: 'running', openPositions: 2, hold: null })).toBe(
      'Running when last seen',
    );
    expect(said({ status: 'stopped', openPositions: 0, hold: null })).toBe(
      'Stopped when last seen',
    );
    expect(said({ status: 'stopped', openPositions: 2, hold: null })).toBe(
      'Stopped when last seen, protecting 2 positions',
    );
    expect(
      said({
        status: 'halted',
        openPositions: 1,
        hold: { code: 'x', text: 'day loss', until: null },
      }),
    ).toBe('Halted when last seen: day loss');
    expect(
      said({
        status: 'faulted',
        openPositions: 1,
        hold: { code: 'x', text: 'an error', until: null },
      }),
    ).toBe('Faulted when last seen: an error, protecting 1 position');
    expect(agentView(agent, [], false)).toMatchObject({
      statusText: 'Running when last seen',
      current: false,
      canStop: true,
    });
    expect(runningText([agent, { ...agent, status: 'stopped' }], true)).toBe('1 of 2 running');
    expect(runningText([agent, { ...agent, status: 'stopped' }], false)).toBe(
      '1 of 2 running when last seen',
    );
  });

  it('is, for a command that went in part, about the agents for whom it did not, each with its own reason', () => {
    const part = entry({
      intent: 'start-all',
      agentId: null,
      agents: [{ id: 'b' }],
      state: 'failed',
      reason: { code: 'partly_refused', message: '1 of 2 started', at: 0 },
      results: [
        { agentId: 'a', name: 'Harbour', went: true, message: '' },
        { agentId: 'b', name: 'Drift', went: false, message: 'it has changed' },
      ],
    });
    expect(commandText(part)).toBe('Start all partly failed: 1 of 2 started');
    expect(agentView(agent, [part])).toMatchObject({ entry: null, commandText: null });
    expect(agentView({ ...agent, id: 'b' }, [part]).commandText).toBe(
      'Start failed: it has changed',
    );
  });

  it('offers Undo for what was never sent and concerns one agent, Review for what waits for the person, and Stop for what may have arrived', () => {
    expect(agentView(agent, [entry({})])).toMatchObject({ canUndo: true, canReview: false });
    expect(agentView(agent, [entry({ attempts: 1 })])).toMatchObject({ canUndo: false });
    expect(agentView(agent, [entry({ intent: 'stop-all', agentId: null })])).toMatchObject({
      canUndo: false,
    });
    const idle = { ...agent, status: 'stopped' as const };
    expect(agentView(idle, [entry({ intent: 'start', state: 'needs-you' })])).toMatchObject({
      canReview: true,
      canStop: false,
      canStart: false,
    });
    expect(
      agentView(idle, [entry({ intent: 'start', state: 'needs-you', attempts: 1 })]),
    ).toMatchObject({ canReview: true, canStop: true });
  });

  it('counts as failed stops what is a stop, is over and was not carried out', () => {
    const all = [
      entry({ state: 'failed' }),
      entry({ state: 'failed', intent: 'start' }),
      entry({ state: 'saved' }),
      entry({ state: 'failed', intent: 'stop-all', agentId: null }),
    ];
    expect(failedStops(all).map(({ intent }) => intent)).toEqual(['stop', 'stop-all']);
  });
});
