/**
 * Reads what a command carries of the contract: the terms of an alert, and the test that was run
 * before a start. The schemas of the same names say the same.
 */
import {
  ALERT_BPS_MAX,
  ALERT_BPS_MIN,
  ALERT_REPEATS,
  ALERT_WINDOWS,
  isAlertPrice,
} from '../../contract/alert-limits.ts';
import type { AlertCondition, AlertSeen, AlertTerms } from '../../contract/alerts.ts';
import type { Tested } from '../../contract/backtest-record.ts';
import { ALERT_NOTE_MAX, BACKTEST_DAYS_MAX } from '../../contract/limits.ts';
import { DECIMAL } from '../../contract/money.ts';
import {
  either,
  fields,
  list,
  number,
  numberFrom,
  oneOf,
  orNull,
  textLike,
  textUpTo,
  textWhere,
  whole,
  yesOrNo,
  type Reader,
} from '../../contract/readers.ts';
import { PAIR, SHA_256 } from '../../contract/text-forms.ts';

const price = textWhere((text) => DECIMAL.test(text) && isAlertPrice(text));

const condition: Reader<AlertCondition> = either<AlertCondition>(
  fields({ kind: oneOf(['above']), price }, true),
  fields({ kind: oneOf(['below']), price }, true),
  fields(
    {
      kind: oneOf(['move']),
      direction: oneOf(['up', 'down', 'either']),
      bps: numberFrom(ALERT_BPS_MIN, ALERT_BPS_MAX, whole),
      windowMinutes: oneOf(ALERT_WINDOWS),
    },
    true,
  ),
);

export const alertTerms: Reader<AlertTerms> = fields(
  {
    symbol: textLike(PAIR),
    condition,
    repeatMinutes: orNull(oneOf(ALERT_REPEATS)),
    note: textUpTo(ALERT_NOTE_MAX),
    active: yesOrNo,
  },
  true,
);

export const alertSeen: Reader<AlertSeen> = fields({ price, at: number }, true);

const hash = textLike(SHA_256);

export const tested: Reader<Tested> = fields(
  {
    settings: hash,
    data: hash,
    engine: either(hash, oneOf([''])),
    from: number,
    to: number,
    trades: numberFrom(0, Infinity, whole),
    totalReturn: orNull(number),
    daily: list(numberFrom(-100, 100), BACKTEST_DAYS_MAX),
    slippageBps: orNull(number),
  },
  true,
);
