/** What became of every command of a run, by what device, network and server each say. */
import type { QueuedRecord } from './device.ts';

export interface Sent {
  commandId: string;
  tokenUid: string;
}
export interface Receipt {
  uid: string;
  commandId: string;
  reply: { outcome?: string; agent?: { id: string; generation: number } };
}
export interface AgentNow {
  id: string;
  name: string;
  uid: string;
  status: string;
  generation: number;
}

/** Kept while a run goes on. */
export class Evidence {
  /** Everything that was ever on the disk, in the order of the presses. */
  readonly saved = new Map<string, QueuedRecord>();
  /** Starts that a stop on the same disk took back, with the attempts they had. */
  readonly takenBack = new Map<string, number>();
  /** Named to the person and given up at a sign-out. */
  readonly discarded = new Set<string>();
  /** Shown at the end of an run as something the person must deal with. */
  readonly shown = new Map<string, string>();
  readonly sent: Sent[] = [];
  /** Sends of what was over by then, with why it was. */
  readonly late: string[] = [];
  private readonly sealed = new Map<string, string>();

  put(entry: QueuedRecord): void {
    if (!this.saved.has(entry.commandId)) this.saved.set(entry.commandId, entry);
  }

  /** From here on no request may carry this command. */
  seal(commandId: string, why: string): void {
    this.sealed.set(commandId, why);
  }

  request(sent: Sent): void {
    this.sent.push(sent);
    const why = this.sealed.get(sent.commandId);
    if (why !== undefined) this.late.push(`${sent.commandId} was sent after it was ${why}`);
  }
}

export interface Verdict {
  lost: string[];
  doubled: string[];
  misdelivered: string[];
}

/**
 * `first`: generations before the run. `unheard`: commands that may have been saved and sent
 * without the test hearing of it, because the browser was killed at that moment.
 */
export function judgeRun(
  evidence: Evidence,
  receipts: readonly Receipt[],
  now: readonly AgentNow[],
  first: ReadonlyMap<string, number>,
  unheard: number,
): Verdict {
  const { saved, takenBack, discarded, shown, sent, late } = evidence;
  const delivered = new Map(receipts.map((row) => [row.commandId, row]));
  const lost = [...saved.keys()].filter(
    (id) => !delivered.has(id) && !takenBack.has(id) && !discarded.has(id) && !shown.has(id),
  );
  const doubled = [...late];
  // The person was told that it did not happen.
  for (const [id, state] of shown)
    if (delivered.has(id)) doubled.push(`${id} was done and shown as ${state}`);
  for (const [id, attempts] of takenBack)
    if (attempts === 0 && (delivered.has(id) || sent.some((one) => one.commandId === id)))
      doubled.push(`${id} was taken back unsent, and sent`);

  const owners = new Map(now.map((agent) => [agent.id, agent.uid]));
  const misdelivered = receipts.flatMap((row) => {
    const owner = saved.get(row.commandId)?.uid ?? row.uid;
    const agentOwner = owners.get(row.reply.agent?.id ?? '') ?? row.uid;
    return owner === row.uid && agentOwner === row.uid
      ? []
      : [`${row.commandId} of ${owner} was taken for ${row.uid}`];
  });
  for (const { commandId, tokenUid } of sent) {
    const owner = saved.get(commandId)?.uid;
    if (owner !== undefined && owner !== tokenUid)
      misdelivered.push(`${commandId} of ${owner} was sent with a token of ${tokenUid}`);
  }

  const strangers = receipts.filter(
    (row) => row.reply.agent !== undefined && !saved.has(row.commandId),
  );
  if (strangers.length > unheard)
    doubled.push(...strangers.map((row) => `${row.commandId} was never saved`));
  for (const agent of now) {
    const verdict = judgeAgent(agent, receipts, saved, first.get(agent.id) ?? 0);
    doubled.push(...verdict.doubled);
    lost.push(...verdict.lost);
  }
  return { lost, doubled, misdelivered };
}

function judgeAgent(
  agent: AgentNow,
  receipts: readonly Receipt[],
  saved: ReadonlyMap<string, QueuedRecord>,
  first: number,
): Pick<Verdict, 'lost' | 'doubled'> {
  const doubled: string[] = [];
  const lost: string[] = [];
  const mine = receipts
    .filter((row) => row.reply.agent?.id === agent.id)
    .map((row) => ({
      id: row.commandId,
      intent: saved.get(row.commandId)?.intent,
      generation: row.reply.agent?.generation ?? -1,
      outcome: row.reply.outcome,
    }));
  // Every effect raises the generation by one, and a stop that finds nothing to stop does too: one
  // effect more than receipts, or less, would leave a gap.
  const effects = mine
    .filter((one) => one.outcome !== 'unchanged' || one.intent === 'stop')
    .map((one) => one.generation)
    .sort((a, b) => a - b);
  if (
    effects.join() !== effects.map((_one, index) => first + 1 + index).join() ||
    agent.generation !== first + effects.length
  ) {
    doubled.push(`${agent.name}: ${first} → ${agent.generation} by ${effects.join()}`);
  }
  const order = [...saved.keys()];
  const known = mine
    .filter((one) => one.intent !== undefined)
    .sort((a, b) => a.generation - b.generation);
  known.forEach((one, index) => {
    const before = known[index - 1];
    if (before !== undefined && order.indexOf(before.id) > order.indexOf(one.id))
      doubled.push(`${agent.name}: ${before.id} came before ${one.id}`);
  });
  // Every last word is the one that holds.
  const last = mine.length === known.length ? known.at(-1)?.intent : undefined;
  if (
    (last === 'stop' && agent.status === 'running') ||
    (last === 'start' && agent.status === 'stopped')
  )
    lost.push(`${agent.name} is ${agent.status} after ${last}`);
  return { lost, doubled };
}
