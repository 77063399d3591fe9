/** The terms and candles of the last backtest, kept to run it again without a network. */
import type { KeptBacktest } from '../../../contract/backtest.ts';
import { ownSnapshot } from '../snapshot-kind.ts';

export const backtest = ownSnapshot<KeptBacktest>();
