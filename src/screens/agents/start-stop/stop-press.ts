/** Handles a press of Stop and its Undo. A stop that was already sent is undone by a start. */
import { cancelCommand, queue, startAgent, stopAgent } from '../../../commands.ts';
import { agentsStore } from '../../../stores/agents-store.ts';
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

/** The strip above the bottom bar where the offer is shown, px. */
const OFFER_PLACE_PX = 190;

/** Undo never takes Stop's place: for a press in that strip the offer is shown at the top. */
const isLow = (pressed: Element | null): boolean =>
  pressed !== null && pressed.getBoundingClientRect().bottom > innerHeight - OFFER_PLACE_PX;

/** `by`: the pressed button. `byKey`: pressed by keyboard. */
export function pressStop(agent: StopOffer['agent'], by: Element | null, byKey: boolean): void {
  const atTop = isLow(by);
  const stopping = stopAgent(agent);
  showResult(stopping);
  stopping.then(
    (result) => {
      if (result.said !== 'saved' && result.said !== 'sent') return;
      const commandId = result.said === 'saved' ? result.entry.commandId : null;
      const { id, name, generation } = agent;
      offerUndo(
        { agent: { id, name, generation }, commandId, atTop },
        byKey ? OFFER_BY_KEY_MS : OFFER_MS,
      );
    },
    () => undefined,
  );
}

/** Undoes a command that was never sent. A stop that was sent is followed by a start instead. */
export async function undoStop(): Promise<void> {
  const { offer } = stopOffer;
  if (offer === null) return;
  const { agent, commandId } = { agent: { ...offer.agent }, commandId: offer.commandId };
  withdrawOffer();
  const entry = queue.entries.find((one) => one.commandId === commandId);
  // A failed stop is shown as an alert instead.
  if (entry?.state === 'failed' || entry?.state === 'lapsed') return;
  const result = commandId === null ? 'gone' : await cancelCommand(commandId);
  if (result === 'undone') {
    pageToast('success', 'Undone. Nothing was sent.');
    return;
  }
  const now = agentsStore.data?.agents.find((one) => one.id === agent.id);
  showResult(startAgent(now ?? agent));
  pageToast('blank', `The stop was already sent. Starting ${agent.name} again.`);
}
