/** Sends a command that could not be saved on the device, once. */
import type { Agent } from '../../contract/agents.ts';
import type { Alert } from '../../contract/alerts.ts';
import { agentsIn, alertIn, type Bearer } from './drain.ts';
import type { CommandRequest } from './outbox-entry.ts';
import { coalesce } from './queue-rules.ts';
import { judge } from './replies.ts';
import { send, type Line } from './send.ts';

export type Unsaved =
  | { outcome: 'done'; agents: Agent[]; alert: Alert | null }
  | { outcome: 'refused'; message: string }
  /** It may or may not have arrived, and will not be sent again from here. */
  | { outcome: 'unknown'; message: string };

export interface UnsavedPorts {
  line: Line;
  token(force: boolean): Promise<Bearer | null>;
}

export async function sendUnsaved(
  uid: string,
  request: CommandRequest,
  ports: UnsavedPorts,
): Promise<Unsaved | null> {
  const stamp = {
    uid,
    commandId: crypto.randomUUID(),
    now: Date.now(),
    clockOffsetMs: null,
    clockMoved: false,
  };
  const { entry } = coalesce([], request, stamp, () => crypto.randomUUID());
  if (entry === null) return null;
  if (entry.state === 'cancelled') return { outcome: 'done', agents: [], alert: null };
  for (const refreshed of [false, true]) {
    const bearer = await ports.token(refreshed);
    if (bearer === null || bearer.uid !== uid) return null;
    const answer = await send(ports.line, entry, bearer.token);
    const verdict = judge(entry, answer, { now: Date.now(), random: 0, refreshed });
    if (verdict.verdict === 'done')
      return { outcome: 'done', agents: agentsIn(answer.json), alert: alertIn(answer.json) };
    if (verdict.verdict === 'settled' || verdict.verdict === 'pause')
      return { outcome: 'refused', message: verdict.entry.reason?.message ?? 'Refused' };
    if (verdict.verdict === 'again') {
      const message =
        answer.status === 0
          ? 'Not saved on this device, and the server did not answer. Check whether it took effect before you try again.'
          : `Not saved on this device, and the server could not accept it: ${verdict.entry.reason?.message ?? 'try again'}`;
      return { outcome: 'unknown', message };
    }
  }
  return null;
}
