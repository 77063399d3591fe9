/** The codes of decisions and trades in words; refuses to show a code as it is. */

/** Every code that a decision, a trade or a hold carries; a test holds this to the engine's own. */
export const REASON: Readonly<Record<string, string>> = {
  // Trades.
  entered: 'new position',
  increased: 'added to the position',
  reduced: 'brought down to target',
  signal_left: 'signal ended',
  stop_loss: 'stop loss',
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
  // Guards.
  cooldown: 'cooling down',
  stop_loss_cluster: 'several stops in a day',
  drawdown: 'drawdown limit',
  day_loss: 'day loss limit',
  bad_price: 'price refused',
  depeg: 'a coin off its peg',
  correlated_exposure: 'moves with what is held',
  stale_feed: 'stale price',
  entries_stopped: 'new entries stopped',
};

/** A code of a newer server reads as plain words too. */
export const reasonText = (code: string): string => REASON[code] ?? code.replaceAll('_', ' ');
