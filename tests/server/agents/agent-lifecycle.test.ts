/** The life of an agent as a table, held against every state and event. */
import { describe, expect, it } from 'vitest';
import { AgentStatus } from '../../../contract/agents.ts';
import { transition } from '../../../server/agents/agent-lifecycle.ts';

describe('the life of an agent', () => {
  it('knows every state and event, and nothing besides', () => {
    const table = AgentStatus.options.map((status) =>
      [
        status,
        ...(['start', 'stop', 'halt', 'fault', 'resume'] as const).map(
          (event) => transition(status, event) ?? '-',
        ),
      ].join(' '),
    );
    expect(table).toEqual([
      // start stop halt fault resume
      'stopped running - - - -',
      'running - stopped halted faulted -',
      'halted running stopped - faulted running',
      'faulted running stopped - - -',
    ]);
  });

  it('lets a person stop an agent in every state but stopped', () => {
    expect(
      AgentStatus.options.filter((status) => transition(status, 'stop') === 'stopped'),
    ).toEqual(['running', 'halted', 'faulted']);
  });
});
