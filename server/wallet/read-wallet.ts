/** What the server knows about a user's wallet: the open paper account and the linked addresses. */
import { and, eq, isNull, like, or, sql } from 'drizzle-orm';
import { add, formatFixed, parseFixed, ZERO, type Fixed } from '../../contract/money.ts';
import type { LinkedAddress, WalletStatus } from '../../contract/wallet.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Db } from '../db/database.ts';
import { accounts, balances } from '../db/schema.ts';
import { linkedAddresses } from '../db/schema-wallet.ts';
import type { Market } from '../market/market-source.ts';

export const asLink = (row: typeof linkedAddresses.$inferSelect): LinkedAddress => ({
  id: row.id,
  address: row.address,
  chainId: row.chainId,
  label: row.label,
  proof: row.proof === 'contract' ? 'contract' : 'key',
  linkedAt: row.linkedAt,
});

async function readLinks(db: Db, uid: string): Promise<LinkedAddress[]> {
  const rows = await db
    .select()
    .from(linkedAddresses)
    .where(eq(linkedAddresses.uid, uid))
    .orderBy(linkedAddresses.linkedAt, linkedAddresses.id);
  return rows.map(asLink);
}

/**
 * Cash can be spent; what lies in a holding is kept by a position until its agent sells it. The
 * quote comes first.
 */
async function readBalances(
  db: Db,
  market: Market,
  uid: string,
): Promise<WalletStatus['balances']> {
  const { source } = market;
  const rows = await db
    .select({ bucket: balances.bucket, asset: balances.asset, amount: balances.amount })
    .from(balances)
    .innerJoin(accounts, eq(accounts.id, balances.accountId))
    .where(
      and(
        eq(accounts.uid, uid),
        eq(accounts.source, source.id),
        isNull(accounts.closedAt),
        or(eq(balances.bucket, 'cash'), like(balances.bucket, 'holding:%')),
      ),
    )
    .orderBy(sql`${balances.asset} = ${source.quote} desc`, balances.asset);
  const sums = new Map<string, { available: Fixed; reserved: Fixed }>();
  for (const { bucket, asset, amount } of rows) {
    const known = sums.get(asset) ?? { available: ZERO, reserved: ZERO };
    const value = parseFixed(amount);
    sums.set(
      asset,
      bucket === 'cash'
        ? { ...known, available: add(known.available, value) }
        : { ...known, reserved: add(known.reserved, value) },
    );
  }
  return [...sums]
    .filter(
      ([asset, { available, reserved }]) =>
        asset === source.quote || available !== ZERO || reserved !== ZERO,
    )
    .map(([asset, { available, reserved }]) => ({
      asset,
      available: formatFixed(available),
      reserved: formatFixed(reserved),
    }));
}

export interface WalletReadDeps {
  database: Database;
  market: Market;
  clock: WallClock;
}

export async function readWallet(
  { database: { db }, market, clock }: WalletReadDeps,
  uid: string,
  onramp: WalletStatus['onramp'],
): Promise<WalletStatus> {
  const { source } = market;
  const servedAt = clock.now();
  const [held, links] = [await readBalances(db, market, uid), await readLinks(db, uid)];
  return {
    mode: 'paper',
    venue: `Paper account on ${source.label}`,
    quote: source.quote,
    balances: held,
    linkedAddresses: [...new Set(links.map(({ address }) => address))],
    links,
    onramp,
    servedAt,
  };
}
