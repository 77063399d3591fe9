/** What happens in an run, drawn whole from seed and number before it begins. */
import type { Fault } from './fault-proxy.ts';
import { random } from './tape.ts';

/**
 * `put-off`: a sign-out that the person takes back when told of unsent commands. `session-lost`:
 * the identity provider forgets the user, who signs in again. `unlocked-tabs`: two tabs that drain
 * without the lock.
 */
export const HARMS = [
  'worker-killed',
  'other-user',
  'browser-killed',
  'network-cut',
  'server-killed',
  'two-tabs',
  'unlocked-tabs',
  'signed-out',
  'put-off',
  'session-lost',
  'tab-closed',
  'drop-request',
  'drop-reply',
  'stall',
  'portal-page',
  'portal-redirect',
  'truncate',
  '500',
] as const;
export type Harm = (typeof HARMS)[number];

/** The short form: one of each family. */
export const SHORT: readonly Harm[] = HARMS.slice(0, 6);
/** Those that cost no ten seconds of waiting. */
const PASSING: readonly Fault[] = ['drop-reply', 'drop-request', 'portal-page', 'truncate', '500'];
const NETWORK: readonly Harm[] = [
  'drop-request',
  'drop-reply',
  'stall',
  'portal-page',
  'portal-redirect',
  'truncate',
  '500',
];
const OFFLINE: readonly Harm[] = [
  'network-cut',
  'two-tabs',
  'unlocked-tabs',
  'put-off',
  'session-lost',
];

export interface RunPlan {
  number: number;
  kind: Harm;
  /** Which agent is pressed (it offers Start or Stop by itself), and how long to wait then. */
  presses: { agent: number; waitMs: number }[];
  /** Before which press the harm strikes; as many as there are presses means after the last. */
  strikesAt: number;
  /** Done by the proxy to the first commands. */
  fault: Fault | null;
  faults: number;
  /** The presses begin without a network. */
  offline: boolean;
  /** Free choices of the harm itself, in [0, 1). */
  dice: [number, number];
}

/** `kinds`: those to go through, each once before any comes again. */
export function runPlan(
  seed: number,
  number: number,
  kinds: readonly Harm[],
  agents: number,
): RunPlan {
  const round = Math.floor((number - 1) / kinds.length);
  const shuffle = random(seed * 7_919 + round);
  const bag = [...kinds].map((kind) => ({ kind, at: shuffle() })).sort((a, b) => a.at - b.at);
  const kind = bag[(number - 1) % kinds.length]?.kind ?? 'tab-closed';
  const roll = random(seed * 104_729 + number);
  const presses = Array.from({ length: 2 + Math.floor(roll() * 3) }, () => ({
    agent: Math.floor(roll() * agents),
    waitMs: Math.round(roll() * 120),
  }));
  const side = roll() < 0.6 ? (PASSING[Math.floor(roll() * PASSING.length)] ?? null) : null;
  const offline =
    OFFLINE.includes(kind) || ((kind === 'signed-out' || kind === 'other-user') && roll() < 0.6);
  return {
    number,
    kind,
    presses,
    offline,
    strikesAt:
      kind === 'server-killed' || kind === 'network-cut'
        ? Math.floor(roll() * (presses.length + 1))
        : presses.length,
    fault: NETWORK.includes(kind)
      ? (kind as Fault)
      : kind === 'worker-killed'
        ? 'drop-request'
        : side,
    faults: kind === 'worker-killed' ? 1_000 : 1 + Math.floor(roll() * 2),
    dice: [roll(), roll()],
  };
}
