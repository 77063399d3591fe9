/** Whether a checkout was completed, for a page that an address has called finished. */
import { and, desc, eq, gt } from 'drizzle-orm';
import type { CheckoutStateReply } from '../../contract/subscription.ts';
import { checkouts } from '../db/schema-plans.ts';
import { UNFINISHED, type CheckoutDeps, type CheckoutRow } from './open-checkout.ts';

type State = CheckoutStateReply['state'];

/** Stripe's sessions end after a day. */
const LATELY_MS = 24 * 60 * 60_000;
/** Each costs a question to the provider. */
const ASKED_MOST = 5;

/** The best that can be said of them comes first: another tab may have paid for an earlier one. */
const FIRST_OF = ['complete', 'open', 'expired'] as const satisfies readonly State[];

/**
 * The provider sends a person back to the same address whether they paid, gave up or were refused at
 * their bank, and its webhook may be late: it is asked.
 */
export async function checkoutStateOf(
  { clock, database, payments }: Pick<CheckoutDeps, 'clock' | 'database' | 'payments'>,
  uid: string,
): Promise<State> {
  const rows = await database.db
    .select()
    .from(checkouts)
    .where(and(eq(checkouts.uid, uid), gt(checkouts.createdAt, clock.now() - LATELY_MS)))
    .orderBy(desc(checkouts.createdAt))
    .limit(ASKED_MOST);
  const ofRow = ({ state }: CheckoutRow): State => {
    if (state === 'complete') return 'complete';
    return UNFINISHED.some((one) => one === state) ? 'open' : 'expired';
  };
  const { checkoutState } = payments;
  const states = await Promise.all(
    rows.map(async (row) =>
      checkoutState === null || row.sessionId === null || row.state === 'complete'
        ? ofRow(row)
        : await checkoutState(row.sessionId),
    ),
  );
  return FIRST_OF.find((state) => states.includes(state)) ?? 'none';
}
