/** New trades switched off, in words: by whom, why and until when; refuses to call it a stop. */
import type { EntriesOff } from '../../../contract/halts.ts';
import { formatWhen } from '../../format/times.ts';

const WHAT: Record<EntriesOff['scope'], string> = {
  platform: 'New trades are off for everybody',
  venue: 'New trades are off at this venue',
  user: 'New trades are off for your account',
  agent: 'New trades are off for this agent',
};

export function offTitle({ scope, by, reason }: EntriesOff): string {
  if (by === 'you')
    return reason === 'paused' ? 'You have paused trading' : 'You have switched trading off';
  return WHAT[scope];
}

/** A reason with the full stop it may lack. */
const closed = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Who, why, since and until when; then what goes on regardless. Wall clock. */
export function offText({ by, reason, since, until }: EntriesOff, now: number): string {
  const who =
    by === 'you'
      ? 'It lasts until you switch it on again under Trading.'
      : `By the operator${since === null ? '' : ` since ${formatWhen(since, now)}`}: ${closed(reason)} ${until === null ? 'It lasts until the operator lifts it.' : `Until ${formatWhen(until, now)}.`}`;
  return `${who} Agents open nothing meanwhile; exits and stops go on, and Stop and selling work as always.`;
}
