/** The codes of decisions, trades and halts as short labels. */
import { GUARD_LABELS } from '../../../contract/guards.ts';

/** Every code that a decision, a trade or a halt carries; a test compares it with the engine. */
export const REASON: Readonly<Record<string, string>> = {
  // Trades.
  entered: 'new position',
  increased: 'added to the position',
  reduced: 'reduced to target',
  signal_left: 'signal ended',
  closed: 'closed by you',
  liquidated: 'stop and sell',
  // Reasons of the strategies.
  in_top: 'among the leaders',
  not_in_top: 'not among the leaders',
  trend_up: 'trend up',
  trend_down: 'trend down',
  thin_volume: 'low volume',
  move_turned: 'move reversed',
  under_fair: 'below fair price',
  near_fair: 'near fair price',
  off_peg: 'off its peg',
  not_a_stablecoin: 'not a stablecoin',
  blend: 'blend of strategies',
  too_few_pairs: 'too few pairs to rank',
  too_little_history: 'not enough history',
  stopped_out: 'stopped out this period',
  weak_signal: 'signal below threshold',
  cost_exceeds_edge: 'cost exceeds gain',
  blocked: 'limited by a guard',
  // Limits of an order.
  not_offered: 'not offered here',
  not_listed: 'no longer listed, only sold',
  no_price: 'no price yet',
  no_signal: 'no signal yet',
  not_now: 'not yet due',
  on_target: 'on target',
  below_minimum: 'below minimum order size',
  stop_too_close: 'stop not below the bid',
  too_little_to_sell: 'too little to sell',
  no_cash: 'not enough cash',
  no_volume: 'market volume too low',
  // Guards (a sale by its stop has the code of the stop-loss guard), and entries stopped by hand.
  ...GUARD_LABELS,
  entries_stopped: 'trading paused',
};

/** An unknown code of a newer server is shown as plain words. */
export const reasonText = (code: string): string => REASON[code] ?? code.replaceAll('_', ' ');
