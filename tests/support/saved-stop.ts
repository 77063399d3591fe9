/** A stop that waits on the device, as the tests of screens put it into the queue. */
import type { OutboxEntry } from '../../src/offline/outbox-entry.ts';

export const savedStop = (part: Partial<OutboxEntry> = {}): OutboxEntry => ({
  version: 1,
  commandId: 'c1',
  uid: 'uid-1',
  intent: 'stop',
  agentId: 'a1',
  agentName: 'Harbour',
  agents: [],
  seenGeneration: 1,
  sequence: 1,
  createdAt: 0,
  clockOffsetMs: null,
  clockMoved: false,
  contractVersion: 1,
  attempts: 0,
  failures: 0,
  nextAttemptAt: null,
  state: 'saved',
  reason: null,
  confirmed: false,
  ...part,
});
