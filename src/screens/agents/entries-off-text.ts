/** A trading halt in words: who, why and until when. */
import type { EntriesOff } from '../../../contract/halts.ts';
import { formatWhen } from '../../format/times.ts';

const WHAT: Record<EntriesOff['scope'], string> = {
  platform: 'Trading is paused for everyone',
  venue: 'Trading is paused at this exchange',
  user: 'Trading is paused for your account',
  agent: 'Trading is paused for this agent',
};

export function offTitle({ scope, by, reason }: EntriesOff): string {
  if (by === 'you')
    return reason === 'paused' ? 'You have paused trading' : 'You have turned trading off';
  return WHAT[scope];
}

/** A reason, ended by a full stop. */
const closed = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Who paused trading, why, since and until when, and what stays active. Wall clock. */
export function offText({ by, reason, since, until }: EntriesOff, now: number): string {
  const from = since === null ? '' : ` since ${formatWhen(since, now)}`;
  const end = until === null ? 'No end is set.' : `Until ${formatWhen(until, now)}.`;
  const who =
    by === 'you'
      ? 'You can turn it on again under Trading.'
      : `By the operator${from}: ${closed(reason)} ${end}`;
  return `${who} No new positions. Stop losses and exits stay active. You can still stop agents and sell.`;
}
