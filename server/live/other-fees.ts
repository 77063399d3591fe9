/** What exchanges charged agents in other coins than the quote currency of their trades. */
import { inArray, sql } from 'drizzle-orm';
import type { OtherFee } from '../../contract/agents.ts';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import type { Db } from '../db/database.ts';
import { venueFills } from '../db/schema-live.ts';
import { rowsOf } from '../db/sql-rows.ts';

interface FeeRow {
  agentId: string;
  asset: string;
  inResult: boolean;
  amount: string;
}

/** Summed by agent and coin; who was charged none is left out. */
export async function otherFeesOf(
  db: Db,
  accountIds: readonly string[],
): Promise<Map<string, OtherFee[]>> {
  const byAgent = new Map<string, OtherFee[]>();
  if (accountIds.length === 0) return byAgent;
  const rows = await rowsOf<FeeRow>(
    db,
    sql`
    select agent_id::text as "agentId", fee->>'asset' as asset, fee->>'asset' = split_part(symbol, '/', 1) as "inResult",
      sum((fee->>'amount')::numeric)::text as amount
    from venue_fills cross join lateral jsonb_array_elements(fees) as fee
    where ${inArray(venueFills.accountId, [...accountIds])} and agent_id is not null and fee->>'asset' <> split_part(symbol, '/', 2)
    group by 1, 2, 3 order by 1, 3 desc, 2`,
  );
  for (const { agentId, amount, ...fee } of rows)
    byAgent.set(agentId, [
      ...(byAgent.get(agentId) ?? []),
      { ...fee, amount: formatFixed(parseFixed(amount)) },
    ]);
  return byAgent;
}
