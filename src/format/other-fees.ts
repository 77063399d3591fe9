/** Words for fees that an exchange charged in other coins than the quote currency. */
import type { OtherFee } from '../../contract/agents.ts';

type Fees = readonly Readonly<OtherFee>[] | undefined;

/** Those in the coin that was traded, which a result has, or those in a third one. */
export const feesIn = (otherFees: Fees = [], inResult: boolean): Readonly<OtherFee>[] =>
  otherFees.filter((fee) => fee.inResult === inResult);

/** Coins that fees were charged in and that no result is less of; empty where there are none. */
export const beyondResult = (otherFees: Fees): string =>
  [...new Set(feesIn(otherFees, false).map(({ asset }) => asset))].join(', ');
