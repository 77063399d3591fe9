/** Every guard. Guards of one stage are asked in this order, and the first block counts. */
import type { GuardCode } from '../../contract/guards.ts';
import { badPrice } from './bad-price.ts';
import { cooldown } from './cooldown.ts';
import { correlatedExposure } from './correlated-exposure.ts';
import { dayLoss } from './day-loss.ts';
import { depeg } from './depeg.ts';
import { drawdown } from './drawdown.ts';
import type { Guard } from './guard.ts';
import { staleFeed } from './stale-feed.ts';
import { stopLoss } from './stop-loss.ts';
import { stopLossCluster } from './stop-loss-cluster.ts';

const GUARDS: { readonly [Code in GuardCode]: Guard & { readonly code: Code } } = {
  drawdown,
  day_loss: dayLoss,
  stop_loss_cluster: stopLossCluster,
  bad_price: badPrice,
  stale_feed: staleFeed,
  depeg,
  stop_loss: stopLoss,
  cooldown,
  correlated_exposure: correlatedExposure,
};

const all: readonly Guard[] = Object.values(GUARDS);

/** The guards by the stage of an evaluation that asks them. */
export const GUARDS_OF = {
  lastingHalt: all.filter((guard) => guard.stage === 'lasting-halt'),
  timedHalt: all.filter((guard) => guard.stage === 'timed-halt'),
  agent: all.filter((guard) => guard.stage === 'agent'),
  pair: all.filter((guard) => guard.stage === 'pair'),
  size: all.filter((guard) => guard.stage === 'size'),
};
