/** The offer to undo a stop: how long it stands, and what makes it stand longer. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  OFFER_MS,
  offerUndo,
  pauseOffer,
  resumeOffer,
  stopOffer,
  withdrawOffer,
  type StopOffer,
} from '../../../src/stores/stop-offer.ts';

const offerOf = (name: string): StopOffer => ({
  agent: { id: name, name, generation: 1 },
  commandId: null,
  atTop: false,
});
const shown = (): string | null => stopOffer.offer?.agent.name ?? null;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  withdrawOffer();
  vi.useRealTimers();
});

it('stands for some seconds and goes by itself', () => {
  offerUndo(offerOf('Harbour'), OFFER_MS);
  vi.advanceTimersByTime(OFFER_MS - 1);
  expect(shown()).toBe('Harbour');
  vi.advanceTimersByTime(1);
  expect(shown()).toBeNull();
});

it('stands still while a pointer or the keyboard is on it, and goes on with the time it had left', () => {
  offerUndo(offerOf('Harbour'), OFFER_MS);
  vi.advanceTimersByTime(OFFER_MS - 1_000);
  pauseOffer();
  vi.advanceTimersByTime(60_000);
  expect(shown()).toBe('Harbour');
  resumeOffer();
  vi.advanceTimersByTime(999);
  expect(shown()).toBe('Harbour');
  vi.advanceTimersByTime(1);
  expect(shown()).toBeNull();
});

it('is of the last stop, for its whole time', () => {
  offerUndo(offerOf('Harbour'), OFFER_MS);
  vi.advanceTimersByTime(OFFER_MS - 1);
  offerUndo(offerOf('Drift'), OFFER_MS);
  vi.advanceTimersByTime(OFFER_MS - 1);
  expect(shown()).toBe('Drift');
});
