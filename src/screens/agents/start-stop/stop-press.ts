/** Handles a press of Stop and its Undo. A stop that was already sent is undone by a start. */
import { cancelCommand, queue, startAgent, stopAgent } from '../../../commands.ts';
import { session } from '../../../identity/session.ts';
import { focusContent } from '../../../platform/focus-content.ts';
import { agentsStore } from '../../../stores/agents-store.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import {
  OFFER_BY_KEY_MS,
  OFFER_MS,
  offerUndo,
  stopOffer,
  withdrawOffer,
  type StopOffer,
} from '../../../stores/stop-offer.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { showResult } from '../../show-result.ts';
import { NOT_UNDONE, UNDONE } from '../../undo-command.ts';

/** The strip above the bottom bar where the offer is shown, px. */
const OFFER_PLACE_PX = 190;

/** Where and how Stop was pressed. */
export interface StopPlace {
  /** The button's lower edge in the window, px; null where there is no button. */
  bottomPx: number | null;
  byKey: boolean;
}

/** Undo never takes Stop's place: for a press in that strip the offer is shown at the top. */
const isLow = ({ bottomPx }: StopPlace): boolean =>
  bottomPx !== null && bottomPx > innerHeight - OFFER_PLACE_PX;

/** `commandId`: the stop in the queue; null where it was sent at once. */
export function offerStopUndo(
  { id, name, generation }: StopOffer['agent'],
  commandId: string | null,
  place: StopPlace,
): void {
  offerUndo(
    { agent: { id, name, generation }, commandId, atTop: isLow(place) },
    place.byKey ? OFFER_BY_KEY_MS : OFFER_MS,
  );
}

/** `by`: the pressed button. `byKey`: pressed by keyboard. */
export function pressStop(agent: StopOffer['agent'], by: Element | null, byKey: boolean): void {
  stopFrom(agent, { bottomPx: by?.getBoundingClientRect().bottom ?? null, byKey });
}

/** `again`: of one that was pressed before. */
export function stopFrom(
  agent: StopOffer['agent'],
  place: StopPlace,
  again?: Parameters<typeof stopAgent>[1],
): void {
  const stopping = stopAgent(agent, again);
  showResult(stopping);
  stopping.then(
    (result) => {
      if (result.said === 'saved') offerStopUndo(agent, result.entry.commandId, place);
      if (result.said === 'sent') offerStopUndo(agent, null, place);
    },
    () => undefined,
  );
}

/**
 * Undoes a command that was never sent. A stop that was sent is followed by a start instead; with real
 * money by the dialog that confirms it.
 */
export async function undoStop(): Promise<void> {
  const { offer } = stopOffer;
  if (offer === null) return;
  const { agent, commandId } = { agent: { ...offer.agent }, commandId: offer.commandId };
  withdrawOffer();
  // The pressed button goes, and the focus with it: not to the page's beginning.
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) focusContent();
  });
  const entry = queue.entries.find((one) => one.commandId === commandId);
  // A failed stop is shown as an alert instead.
  if (entry?.state === 'failed' || entry?.state === 'lapsed') return;
  const uid = session.user?.uid;
  const result = commandId === null ? 'gone' : await cancelCommand(commandId);
  if (result === 'not-done') {
    pageToast('error', NOT_UNDONE);
    // Neither in place of a later stop's offer nor to another user.
    if (stopOffer.offer === null && session.user?.uid === uid) offerUndo(offer, OFFER_BY_KEY_MS);
    return;
  }
  const undone = UNDONE[result];
  if (undone !== undefined) {
    pageToast('success', undone);
    return;
  }
  const now = agentsStore.data?.agents.find((one) => one.id === agent.id);
  // Queued, a start with real money would only be refused: it is made by its confirmation.
  const isLive = now !== undefined && connectionOf(now) !== null;
  if (isLive) stopOffer.startAgain = agent.id;
  else showResult(startAgent(now ?? agent));
  const next = isLive
    ? `Start of ${agent.name} needs your confirmation.`
    : `Starting ${agent.name} again.`;
  pageToast('blank', `The stop was already sent. ${next}`);
}
