/** The one coupon this deployment honours, for whoever never had a plan. */
import type { SubscriptionRow } from './subscription-record.ts';

/** A checkout that was never paid is no plan, also once the provider has ended it. */
const neverHadPlan = (row: SubscriptionRow | null): boolean =>
  row === null ||
  row.status === 'none' ||
  row.status === 'incomplete' ||
  (row.status === 'canceled' && row.paidTier === null);

/** It makes a first plan cheaper: taken again with every plan it would be a price of its own. */
export const firstCoupon = (
  row: SubscriptionRow | null,
  configured: string | null,
): string | null => (neverHadPlan(row) ? configured : null);

/** What is honoured of what a checkout asks for; any other coupon is none. */
export function honouredCoupon(
  asked: string | undefined,
  row: SubscriptionRow | null,
  configured: string | null,
): string | null {
  const coupon = firstCoupon(row, configured);
  return asked !== undefined && asked === coupon ? coupon : null;
}
