/** The candles of the charts that were opened last. */
import type { KeptCandles } from '../../../contract/market.ts';
import { ownSnapshot } from '../snapshot-kind.ts';

export const candles = ownSnapshot<KeptCandles>();
