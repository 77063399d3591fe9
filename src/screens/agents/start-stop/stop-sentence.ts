/** What a stop of one agent does, and what becomes of its positions. */
import { unprotectedText, type AgentView } from '../../../stores/agent-view.ts';

/** What becomes of its positions, where not each is known to have a stop loss. */
function uncertainSentence({
  agent: { openPositions },
  unprotected,
}: Pick<AgentView, 'agent' | 'unprotected'>): string {
  const isOne = openPositions === 1;
  const its = `Its ${openPositions} ${isOne ? 'position' : 'positions'}`;
  const stay = isOne ? 'stays open' : 'stay open';
  if (unprotected === null) return `${its} ${stay}. ${UNKNOWN_STOPS}`;
  return unprotected < openPositions
    ? `${its} ${stay}${unprotectedText(openPositions, unprotected)}.`
    : `${its} ${isOne ? 'has' : 'have'} no stop loss and ${stay}.`;
}

const UNKNOWN_STOPS = 'This device does not know its stop losses.';

export function stopSentence(view: Pick<AgentView, 'agent' | 'current' | 'unprotected'>): string {
  const { unprotected } = view;
  const { name, openPositions } = view.agent;
  if (!view.current) {
    const held =
      openPositions === 0
        ? 'It had no positions when last seen'
        : `It had ${openPositions} ${openPositions === 1 ? 'position' : 'positions'} when last seen`;
    const gone =
      unprotected !== null && unprotected > 0 ? `, ${unprotected} without a stop loss` : '';
    const stops =
      unprotected === null
        ? ` ${UNKNOWN_STOPS}`
        : unprotected === 0
          ? ' Open positions keep their stop losses.'
          : '';
    return `${name} opens no new positions once the server has the stop. ${held}${gone}.${stops}`;
  }
  if (openPositions > 0 && unprotected !== 0)
    return `${name} opens no new positions. ${uncertainSentence(view)}`;
  return openPositions === 0
    ? `${name} opens no new positions. It has none open.`
    : `${name} opens no new positions. Its ${openPositions} ${openPositions === 1 ? 'position keeps its stop loss' : 'positions keep their stop losses'}.`;
}
