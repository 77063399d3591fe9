/**
 * What the server's answer to a command says of agents and alerts, laid into the snapshots as the
 * command leaves the queue: whoever opens the app before the next contact must find it in one of
 * the two.
 */
import type { Agent } from '../../contract/agents.ts';
import type { Alert } from '../../contract/alerts.ts';
import { isLater } from './agent-order.ts';
import type { Beside } from './queue-store.ts';
import { parseRecord, recordOf } from './snapshot-schemas.ts';

export interface Told {
  agents: readonly Agent[];
  alert: Alert | null;
  /** The command was to make it. */
  isNewAlert: boolean;
  /** The id of an alert that was deleted. */
  deletedAlertId: string | null;
}

/** The list keeps its age and sequence: of the others nothing was heard. */
function withAgents(record: unknown, told: readonly Agent[]): unknown {
  const kept = parseRecord('agents', record);
  if (kept === null) return record;
  const news = new Map(told.map((agent) => [agent.id, agent]));
  // No command makes an agent: one that the list does not know has been deleted meanwhile.
  const agents = kept.value.agents.map((known) => {
    const next = news.get(known.id);
    return next !== undefined && isLater(next, known) ? next : known;
  });
  return recordOf('agents', { ...kept.value, agents }, kept.savedAt) ?? record;
}

function withAlert(record: unknown, { alert, isNewAlert, deletedAlertId }: Told): unknown {
  const kept = parseRecord('alerts', record);
  if (kept === null) return record;
  const { alerts } = kept.value;
  const isKnown = alerts.some(({ id }) => id === alert?.id);
  const next = alerts
    .filter(({ id }) => id !== deletedAlertId)
    // The stream may have told of a later state of the same version.
    .map((known) => (known.id === alert?.id && alert.version > known.version ? alert : known));
  if (alert !== null && isNewAlert && !isKnown) next.push(alert);
  return recordOf('alerts', { ...kept.value, alerts: next }, kept.savedAt) ?? record;
}

/** What of the snapshots changes with the delivery of a command. */
export const besideDelivery = (told: Told): Beside => ({
  keys: [
    ...(told.agents.length > 0 ? ['agents'] : []),
    ...(told.alert !== null || told.deletedAlertId !== null ? ['alerts'] : []),
  ],
  change: (key, record) =>
    key === 'agents' ? withAgents(record, told.agents) : withAlert(record, told),
});
