/** The kept results of all agents over time, which the Pro dashboard opens with. */
import { replySnapshot } from '../snapshot-kind.ts';

export const insight = replySnapshot('agentInsight', {
  restore: 'after-paint',
  firstPaintOn: '/pro-dashboard',
});
