/** Undo in random sessions: the queue asks for what the presses that were not undone ask for. */
import { expect, it } from 'vitest';
import { createOutbox, type Outbox } from '../../../src/offline/outbox.ts';
import { cancelCommandIn } from '../../../src/offline/review.ts';
import {
  concerns,
  isStop,
  type CommandRequest,
  type OutboxEntry,
} from '../../../src/offline/outbox-entry.ts';
import { EMPTY_META, type QueueState, type QueueStore } from '../../../src/offline/queue-store.ts';
import fc from '../../support/property.ts';
import { newId, start, startAll, stop, stopAll, T0 } from './samples.ts';

const AGENTS = ['x', 'y'] as const;
const SINGLE: readonly CommandRequest[] = [
  ...AGENTS.flatMap((id) => [start(id), stop(id)]),
  stopAll(),
];
const ALL: readonly CommandRequest[] = [...SINGLE, startAll(...AGENTS)];

/** A press, or the Undo of the press before it that many places ago. */
type Step = { press: CommandRequest } | { undo: number };
const sessions = (requests: readonly CommandRequest[]) =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ press: fc.constantFrom(...requests) }) },
      { weight: 2, arbitrary: fc.record({ undo: fc.nat(5) }) },
    ),
    { maxLength: 14 },
  ) as fc.Arbitrary<Step[]>;

interface Press {
  request: CommandRequest;
  commandId: string;
}

function inMemory(): QueueStore {
  let present: QueueState = { entries: [], meta: EMPTY_META };
  return {
    uid: 'ada',
    read: () => Promise.resolve(present),
    change(work) {
      const { result, ...after } = work(present);
      const entries = [...after.entries].sort((a, b) => a.sequence - b.sequence);
      present = structuredClone({ ...after, entries });
      return Promise.resolve(result);
    },
    quarantined: () => Promise.resolve([]),
    clearQuarantine: () => Promise.resolve(),
  };
}

/** Offline all the time. Only stops are undone: a start that is taken back is gone. */
async function play(steps: readonly Step[], outbox: Outbox): Promise<Press[]> {
  let presses: Press[] = [];
  for (const step of steps)
    if ('press' in step) {
      const { commandId } = await outbox.enqueue(step.press);
      presses.push({ request: step.press, commandId });
    } else {
      const stops = presses.filter(({ request }) => isStop(request));
      const undone = stops.at(-1 - step.undo)?.commandId ?? '';
      await cancelCommandIn(outbox, undone);
      presses = presses.filter(({ commandId }) => commandId !== undone);
    }
  return presses;
}

const covers = (one: CommandRequest | OutboxEntry, agent: string): boolean =>
  concerns(one)?.includes(agent) ?? true;

/** What the last of them wants of an agent. */
const wanted = (list: readonly (CommandRequest | OutboxEntry)[], agent: string): string => {
  const last = list.findLast((one) => covers(one, agent));
  return last === undefined ? 'nothing' : isStop(last) ? 'stop' : 'start';
};

async function endOf(steps: readonly Step[]): Promise<{ asked: string; waits: string }[]> {
  const outbox = createOutbox(inMemory(), { now: () => T0, newId });
  const presses = await play(steps, outbox);
  const { entries } = await outbox.state();
  return AGENTS.map((agent) => ({
    asked: wanted(
      presses.map(({ request }) => request),
      agent,
    ),
    waits: wanted(entries, agent),
  }));
}

it('leaves of each agent what the remaining presses ask for', async () => {
  await fc.assert(
    fc.asyncProperty(sessions(SINGLE), async (steps) => {
      for (const { asked, waits } of await endOf(steps)) expect(waits).toBe(asked);
    }),
    { numRuns: 2_000 },
  );
});

it('starts no agent that the remaining presses do not start, also out of a start of many', async () => {
  await fc.assert(
    fc.asyncProperty(sessions(ALL), async (steps) => {
      for (const { asked, waits } of await endOf(steps))
        if (waits === 'start') expect(asked).toBe('start');
    }),
    { numRuns: 2_000 },
  );
});
