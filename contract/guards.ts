/**
 * The guards' codes, which decisions and halts carry, each with its short label on screen. A guard
 * (`engine/guards/`) does not compile until its code is here.
 */
export const GUARD_LABELS = {
  drawdown: 'drawdown limit',
  day_loss: 'day loss limit',
  stop_loss_cluster: 'several stops in a day',
  bad_price: 'price refused',
  stale_feed: 'stale price',
  depeg: 'a coin off its peg',
  stop_loss: 'stop loss',
  cooldown: 'cooling down',
  correlated_exposure: 'moves with what is held',
} as const;

export type GuardCode = keyof typeof GUARD_LABELS;

export const GUARD_CODES = Object.keys(GUARD_LABELS) as GuardCode[];
