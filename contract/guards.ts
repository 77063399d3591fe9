/**
 * The guards' codes, which decisions and halts carry, each with its short label on screen. A guard
 * (`engine/guards/`) does not compile until its code is here.
 */
export const GUARD_LABELS = {
  drawdown: 'drawdown limit',
  day_loss: 'day loss limit',
  stop_loss_cluster: 'repeated stop losses',
  bad_price: 'price rejected',
  stale_feed: 'stale price',
  depeg: 'stablecoin off its peg',
  stop_loss: 'stop loss',
  cooldown: 'cooldown after an exit',
  correlated_exposure: 'correlated with open positions',
} as const;

export type GuardCode = keyof typeof GUARD_LABELS;

export const GUARD_CODES = Object.keys(GUARD_LABELS) as GuardCode[];
