/** An agent with what waits to be sent laid over it. */
import { describe, expect, it } from 'vitest';
import type { OutboxEntry } from '../../../src/offline/outbox-entry.ts';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import { agentView, commandText, statusText } from '../../../src/stores/agent-view.ts';

const agent = { ...recordAgent('a', 'Harbour', 0), status: 'running' as const };
const entry = (more: Partial<OutboxEntry>): OutboxEntry => ({
  version: 1, commandId: '0b6f2f6e-93a5-4c1c-9f4a-000000000001', uid: 'u', intent: 'stop', agentId: 'a', agentName: 'Harbour', agents: [], seenGeneration: 1,
  sequence: 1, createdAt: 0, clockOffsetMs: 0, clockMoved: false, contractVersion: 1, attempts: 0, failures: 0, nextAttemptAt: null, state: 'saved',
  reason: null, confirmed: false, ...more,
});

describe('agent view', () => {
  it('keeps the server\'s word for what is so, and words the wish apart from it', () => {
    const view = agentView(agent, [entry({})]);
    expect(view).toMatchObject({ statusText: 'Running', wish: 'stop', canStop: false, alert: false });
    expect(view.commandText).toBe('Stop saved on this device. Not yet received by the server.');
    expect(view.agent.status).toBe('running');
  });

  it('does not claim that a command which was on its way has not arrived', () => {
    expect(commandText(entry({ attempts: 1 }))).toBe('Stop saved on this device. Sent, but not confirmed by the server.');
  });

  it('lets stop-all concern every agent and start-all only the ones that were seen', () => {
    expect(agentView(agent, [entry({ intent: 'stop-all', agentId: null })]).wish).toBe('stop');
    expect(agentView(agent, [entry({ intent: 'start-all', agentId: null, agents: [{ id: 'b' }] })]).wish).toBeNull();
    expect(agentView({ ...agent, status: 'stopped' }, [entry({ intent: 'start-all', agentId: null, agents: [{ id: 'a' }] })])).toMatchObject({ wish: 'start', canStart: false, canStop: true });
  });

  it('takes the newest command that is not over, and alerts of a stop that failed', () => {
    expect(agentView(agent, [entry({ sequence: 1, intent: 'start' }), entry({ sequence: 2 })]).wish).toBe('stop');
    const failed = agentView(agent, [entry({ state: 'failed', reason: { code: 'internal', message: 'the server failed', at: 0 } })]);
    expect(failed).toMatchObject({ alert: true, wish: null, canStop: true, commandText: 'Stop failed: the server failed' });
    expect(agentView(agent, [entry({ state: 'cancelled' })])).toMatchObject({ entry: null, commandText: null });
  });

  it('says what a stopped agent still protects', () => {
    expect(statusText({ status: 'stopped', openPositions: 2, hold: null })).toBe('Stopped, protecting 2 positions');
    expect(statusText({ status: 'stopped', openPositions: 1, hold: null })).toBe('Stopped, protecting 1 position');
    expect(statusText({ status: 'halted', openPositions: 0, hold: { code: 'x', text: 'day loss', until: null } })).toBe('Halted: day loss');
    expect(commandText(entry({ intent: 'start', state: 'needs-you', reason: { code: 'x', message: 'it is 40 min old', at: 0 } }))).toBe('Start needs you: it is 40 min old');
  });
});
