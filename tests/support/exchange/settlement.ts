/** What a fill moves: coins from one side to the other, and a fee in the coin the exchange charges it in. */
import {
  add,
  divide,
  multiply,
  negate,
  parseFixed,
  subtract,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import type { Account } from './accounts.ts';
import { rounded } from './decimal-text.ts';
import type { Instrument } from './instruments.ts';
import type { Conventions } from './market-conventions.ts';
import type { FeeCoin, Side, StandInOrder } from './orders.ts';

export interface Charge {
  coin: string;
  amount: Fixed;
}

/** Which of the three it really is: the third coin only where the account has enough of it. */
export function chargeOf(
  order: { side: Side; feeCoin: FeeCoin | null },
  fill: { quantity: Fixed; cost: Fixed; maker: boolean },
  instrument: Instrument,
  account: Account,
  conventions: Conventions,
): Charge {
  const rate = fill.maker ? conventions.makerRate : conventions.takerRate;
  const inQuote = multiply(fill.cost, rate, 'half-even');
  const wanted = order.feeCoin ?? conventions.feeCoin;
  const { thirdCoin, feeDecimals } = conventions;
  if (wanted === 'third' && thirdCoin !== null) {
    const amount = rounded(divide(inQuote, thirdCoin.worth, 'half-even'), feeDecimals.third);
    // Its own pair may be the one traded: what the fill itself pays out is not there for the fee.
    const outgoing = order.side === 'sell' && instrument.base === thirdCoin.coin;
    if (!outgoing && account.free(thirdCoin.coin) >= amount)
      return { coin: thirdCoin.coin, amount };
  }
  const inBase =
    wanted === 'base' || ((wanted === 'received' || wanted === 'third') && order.side === 'buy');
  return inBase
    ? {
        coin: instrument.base,
        amount: rounded(multiply(fill.quantity, rate, 'half-even'), feeDecimals.base),
      }
    : { coin: instrument.quote, amount: rounded(inQuote, feeDecimals.quote) };
}

/** Each fill's cost and fee are rounded by themselves: this is more than they can add up to. */
const QUOTE_SLACK = parseFixed('0.001');
const BASE_SLACK = parseFixed('0.00000001');

/** What an open order keeps from being spent twice. */
export function holdFor(
  order: Pick<StandInOrder, 'side' | 'feeCoin'>,
  quantity: Fixed,
  price: Fixed,
  instrument: Instrument,
  conventions: Conventions,
): { coin: string; amount: Fixed } {
  const wanted = order.feeCoin ?? conventions.feeCoin;
  const rate = conventions.takerRate;
  if (order.side === 'sell') {
    const fee = wanted === 'base' ? multiply(quantity, rate, 'up') : ZERO;
    return {
      coin: instrument.base,
      amount: fee === ZERO ? quantity : add(quantity, add(fee, BASE_SLACK)),
    };
  }
  const cost = multiply(quantity, price, 'up');
  const fee = wanted === 'quote' ? multiply(cost, rate, 'up') : ZERO;
  return { coin: instrument.quote, amount: add(add(cost, fee), QUOTE_SLACK) };
}

/** A stop may fire where its hold no longer covers it: then the exchange cancels it. */
export function canPay(
  side: Side,
  quantity: Fixed,
  cost: Fixed,
  charge: Charge,
  { base, quote }: Instrument,
  account: Account,
): boolean {
  const [coin, amount] = side === 'buy' ? [quote, cost] : [base, quantity];
  return account.free(coin) >= (charge.coin === coin ? add(amount, charge.amount) : amount);
}

/** Books a fill in the account. */
export function settle(
  account: Account,
  fill: { id: string; side: Side; quantity: Fixed; cost: Fixed },
  charge: Charge,
  instrument: Instrument,
): void {
  const { base, quote } = instrument;
  // What comes in first: a fee taken from it must find it there.
  if (fill.side === 'buy') {
    account.move(base, fill.quantity, 'fill', fill.id);
    account.move(quote, negate(fill.cost), 'fill', fill.id);
  } else {
    account.move(quote, fill.cost, 'fill', fill.id);
    account.move(base, negate(fill.quantity), 'fill', fill.id);
  }
  account.move(charge.coin, subtract(ZERO, charge.amount), 'fee', fill.id);
}
