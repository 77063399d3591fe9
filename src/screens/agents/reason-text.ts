/** The codes of decisions, trades and halts as short labels. */
import { GUARD_LABELS } from '../../../contract/guards.ts';

/** Every code that a decision, a trade or a halt carries; a test compares it with the engine. */
export const REASON: Readonly<Record<string, string>> = {
  // Trades.
  entered: 'new position',
  increased: 'added to the position',
  reduced: 'brought down to target',
  signal_left: 'signal ended',
  closed: 'closed by you',
  liquidated: 'stop and sell',
  // The strategies' own opinions.
  in_top: 'among the leaders',
  not_in_top: 'not among the leaders',
  trend_up: 'trend up',
  trend_down: 'trend down',
  thin_volume: 'thin volume',
  move_turned: 'move turned',
  under_fair: 'under its fair price',
  near_fair: 'close to fair',
  off_peg: 'off its peg',
  not_a_stablecoin: 'not a stablecoin',
  blend: 'blend of strategies',
  too_few_pairs: 'too few pairs to rank',
  too_little_history: 'too little history',
  stopped_out: 'stopped out of this list',
  weak_signal: 'signal under the threshold',
  cost_exceeds_edge: 'cost above the gain',
  blocked: 'held back',
  // What keeps an order from being made.
  not_offered: 'not offered here',
  no_price: 'no price yet',
  no_signal: 'no signal yet',
  not_now: 'not yet due',
  on_target: 'on target',
  below_minimum: 'under the smallest order',
  no_cash: 'too little free cash',
  no_volume: 'too little volume',
  // Guards (a sale by its stop has the code of the stop-loss guard), and entries stopped by hand.
  ...GUARD_LABELS,
  entries_stopped: 'new entries stopped',
};

/** A code of a newer server reads as plain words too. */
export const reasonText = (code: string): string => REASON[code] ?? code.replaceAll('_', ' ');
