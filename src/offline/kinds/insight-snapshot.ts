/** The kept results of all agents over time, which the Pro dashboard opens with. */
import { AgentInsight } from '../../../contract/insight.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const insight = replySnapshot('agentInsight', AgentInsight, {
  restore: 'after-paint',
  firstPaintOn: '/pro-dashboard',
});
