/**
 * The offer to undo the last stop of one agent: for some seconds, longer while it is pointed at.
 */
import { proxy } from 'valtio';
import type { Agent } from '../../contract/agents.ts';

/**
 * How long it is shown, ms: after a press by pointer, and by keyboard, from where it takes longer
 * to reach.
 */
export const OFFER_MS = 8_000;
export const OFFER_BY_KEY_MS = 20_000;

export interface StopOffer {
  agent: Pick<Agent, 'id' | 'name' | 'generation'>;
  /** The id of the stop; null where it could not be saved and was sent at once. */
  commandId: string | null;
  /** Shown at the top of the window, because Stop was pressed where it would appear otherwise. */
  atTop: boolean;
}

/**
 * `startAgain`: the id of the agent whose sent stop was to be undone and that trades real money; its
 * start asks for a confirmation.
 */
export const stopOffer = proxy<{ offer: StopOffer | null; startAgain: string | null }>({
  offer: null,
  startAgain: null,
});

let timer: ReturnType<typeof setTimeout> | null = null;
let remainingMs = 0;
let runsSince = 0;

function rest(): void {
  if (timer === null) return;
  clearTimeout(timer);
  timer = null;
  remainingMs -= Date.now() - runsSince;
}

function run(): void {
  runsSince = Date.now();
  timer = setTimeout(withdrawOffer, Math.max(0, remainingMs));
}

export function offerUndo(offer: StopOffer, forMs: number): void {
  rest();
  stopOffer.offer = offer;
  remainingMs = forMs;
  run();
}

export function withdrawOffer(): void {
  rest();
  stopOffer.offer = null;
}

/** Its time is paused while a pointer or the focus is on it. */
export function pauseOffer(): void {
  rest();
}

export function resumeOffer(): void {
  if (stopOffer.offer !== null && timer === null) run();
}
