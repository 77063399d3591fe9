/**
 * The operator's trial of an exchange with a key of their own: every act that live trading needs, in
 * turn, with a small sum. Nothing is kept, and no signer's limits are asked.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  add,
  basisPoints,
  ceilToStep,
  divide,
  floorToStep,
  formatFixed,
  parseFixed,
  subtract,
  sum,
  type Fixed,
} from '../contract/money.ts';
import { ApiKey, LiveExchange, type OrderRef } from '../contract/signer.ts';
import { limitOfStop, stopRoomBps } from '../contract/stop-limit.ts';
import type { PairRules, VenueFill } from '../contract/venue.ts';
import type { Adapter, OrderToPlace, PublicData } from './exchanges/adapter.ts';
import type { Clock } from './exchanges/budget.ts';
import { openExchange, type ExchangeSettings } from './exchanges/open-exchange.ts';
import { middleOf } from './limits.ts';

export const TRIAL_MOST = parseFixed('100');
const PAIRS: Record<LiveExchange, string> = {
  kraken: 'BTC/USD',
  coinbase: 'BTC/USD',
  binance: 'BTC/USDT',
};
/** So far from the market that it rests. */
const FAR_BPS = parseFixed('2000');
/** A price may move while an order is on its way. */
const ROOM_BPS = parseFixed('200');
const LOOKS = 30;
const LOOK_EVERY_MS = 1_000;
const ORDER_LIFE_MS = 20_000;
const DAY_MS = 24 * 60 * 60_000;

type Found = Extract<Awaited<ReturnType<Adapter['lookUp']>>, { kind: 'found' }>;
export interface TrialSettings extends ExchangeSettings {
  exchange: LiveExchange;
  key: ApiKey;
  /** In the quote coin, at most `TRIAL_MOST`. */
  spend: Fixed;
  print: (line: string) => void;
}

class Trial {
  private readonly symbol: string;

  constructor(
    private readonly settings: TrialSettings,
    private readonly adapter: Adapter,
    private readonly data: PublicData,
  ) {
    this.symbol = PAIRS[settings.exchange];
  }

  async run(): Promise<void> {
    const { print, clock } = this.settings;
    print(
      `clock: the exchange is ${(await this.data.time()) - clock.now()} ms ahead of this machine`,
    );
    const rules = (await this.data.rules()).get(this.symbol);
    if (rules === undefined) throw new Error(`${this.symbol} is not listed`);
    print(`pair: ${this.symbol}, ${rules.status}, step ${formatFixed(rules.quantityStep)}`);
    await this.permissions();
    const before = await this.held();
    await this.rests(rules);
    const bought = await this.buys(rules);
    await this.protects(rules, bought);
    await this.sells(rules, bought);
    const after = await this.held();
    print(`cost of the trial: ${formatFixed(subtract(before, after))} ${this.coin(1)}`);
  }

  private coin(at: 0 | 1): string {
    return this.symbol.split('/')[at] ?? '';
  }

  /** A testnet may not tell; a connected key must. */
  private async permissions(): Promise<void> {
    const { print } = this.settings;
    try {
      const may = await this.adapter.permissions();
      print(
        `permissions: trade ${may.canTrade}, withdraw ${may.canWithdraw}, transfer ${may.canTransfer}`,
      );
      for (const right of may.notSeen ?? []) print(`permissions: ${right} was not found`);
    } catch (error) {
      print(`permissions: cannot be read (${String(error)}); this key could not be connected`);
    }
  }

  /** Of the quote coin. */
  private async held(): Promise<Fixed> {
    const balances = await this.adapter.balances();
    const total = sum(
      balances.filter(({ asset }) => asset === this.coin(1)).map((balance) => balance.total),
    );
    this.settings.print(`balance: ${formatFixed(total)} ${this.coin(1)}`);
    return total;
  }

  private async middle(): Promise<Fixed> {
    const middle = middleOf(await this.data.book(this.symbol));
    if (middle === null) throw new Error('A side of the book is empty');
    return middle;
  }

  /** Places it and says so; anything but a confirmation ends the trial. */
  private async place(order: Partial<OrderToPlace> & Pick<OrderToPlace, 'quantity'>) {
    const whole: OrderToPlace = {
      clientOrderId: randomBytes(16).toString('hex'),
      symbol: this.symbol,
      side: 'buy',
      type: 'market',
      limitPrice: null,
      stopPrice: null,
      deadlineMs: this.settings.clock.now() + ORDER_LIFE_MS,
      worstPrice: await this.middle(),
      ...order,
    };
    const outcome = await this.adapter.place(whole);
    const what = `${whole.type} ${whole.side} of ${formatFixed(whole.quantity)}`;
    this.settings.print(`${what}: ${outcome.kind}, client order id ${whole.clientOrderId}`);
    if (outcome.kind !== 'confirmed') throw new Error(`${what}: ${JSON.stringify(outcome)}`);
    return this.refOf(whole.clientOrderId);
  }

  private refOf(clientOrderId: string): OrderRef {
    const sinceMs = this.settings.clock.now() - DAY_MS;
    return { clientOrderId, exchangeOrderId: null, symbol: this.symbol, sinceMs };
  }

  /** Looks it up by our id until it is as wished. */
  private async until(ref: OrderRef, good: (found: Found) => boolean): Promise<Found> {
    for (let look = 0; look < LOOKS; look += 1) {
      const found = await this.adapter.lookUp(ref);
      if (found.kind === 'found' && good(found)) {
        const { status, filled } = found.order;
        this.settings.print(`  looked up: ${status}, filled ${formatFixed(filled)}`);
        return found;
      }
      await this.settings.clock.sleep(LOOK_EVERY_MS);
    }
    throw new Error(
      `The order ${ref.clientOrderId} was not seen as expected; look at the exchange`,
    );
  }

  /** Shown among the open orders, cancelled, and then seen cancelled. */
  private async cancels(ref: OrderRef): Promise<void> {
    await this.until(ref, ({ order }) => order.status === 'open');
    const open = await this.adapter.openOrders([this.symbol]);
    if (!open.some(({ clientOrderId }) => clientOrderId === ref.clientOrderId))
      throw new Error('It is not among the open orders');
    const outcome = await this.adapter.cancel(ref);
    this.settings.print(`  cancelled: ${outcome.kind}`);
    await this.until(ref, ({ order }) => order.status === 'cancelled');
  }

  private async rests(rules: PairRules): Promise<void> {
    const middle = await this.middle();
    const far = subtract(middle, basisPoints(middle, FAR_BPS, 'down'));
    const limitPrice = floorToStep(far, rules.priceTick);
    const quantity = floorToStep(
      divide(this.settings.spend, limitPrice, 'down'),
      rules.quantityStep,
    );
    await this.cancels(await this.place({ type: 'limit', limitPrice, quantity }));
  }

  /** What it bought, less what was charged in the coin itself. */
  private async buys(rules: PairRules): Promise<Fixed> {
    const middle = await this.middle();
    const worstPrice = floorToStep(
      add(middle, basisPoints(middle, ROOM_BPS, 'up')),
      rules.priceTick,
    );
    const quantity = floorToStep(
      divide(this.settings.spend, worstPrice, 'down'),
      rules.quantityStep,
    );
    const ref = await this.place({ quantity, worstPrice });
    const { fills } = await this.until(ref, isOverWithFills);
    return subtract(sum(fills.map((fill) => fill.quantity)), this.feesIn(fills, this.coin(0)));
  }

  private feesIn(fills: readonly VenueFill[], coin: string): Fixed {
    for (const { price, quantity, fees } of fills)
      this.settings.print(
        `  fill: ${formatFixed(quantity)} at ${formatFixed(price)}, fees ${fees.map(({ amount, asset }) => `${formatFixed(amount)} ${asset}`).join(', ') || 'none'}`,
      );
    const charged = fills.flatMap(({ fees }) => fees).filter(({ asset }) => asset === coin);
    return sum(charged.map(({ amount }) => amount));
  }

  private async protects(rules: PairRules, bought: Fixed): Promise<void> {
    const middle = await this.middle();
    const far = subtract(middle, basisPoints(middle, FAR_BPS, 'down'));
    const stopPrice = floorToStep(far, rules.priceTick);
    const quantity = floorToStep(bought, rules.quantityStep);
    const room = stopRoomBps(this.settings.exchange);
    const limitPrice = ceilToStep(limitOfStop(stopPrice, room), rules.priceTick);
    const stop = { type: 'stop', side: 'sell', stopPrice, limitPrice, quantity } as const;
    await this.cancels(await this.place(stop));
  }

  private async sells(rules: PairRules, bought: Fixed): Promise<void> {
    const quantity = floorToStep(bought, rules.quantityStep);
    const middle = await this.middle();
    const worstPrice = floorToStep(
      subtract(middle, basisPoints(middle, ROOM_BPS, 'up')),
      rules.priceTick,
    );
    const ref = await this.place({ side: 'sell', quantity, worstPrice });
    const { fills } = await this.until(ref, isOverWithFills);
    this.feesIn(fills, this.coin(0));
    const dust = subtract(bought, quantity);
    if (dust > 0n) this.settings.print(`  left: ${formatFixed(dust)} ${this.coin(0)}`);
  }
}

/** Over at the exchange, and every fill of it told. */
const isOverWithFills = ({ order, fills }: Found): boolean =>
  order.status !== 'open' &&
  order.filled > 0n &&
  sum(fills.map(({ quantity }) => quantity)) === order.filled;

/** @throws Error at the first thing that is not as it must be. */
export async function tryExchange(settings: TrialSettings): Promise<void> {
  if (settings.spend <= 0n || settings.spend > TRIAL_MOST)
    throw new Error(`A trial spends at most ${formatFixed(TRIAL_MOST)}`);
  const exchange = await openExchange(settings.exchange, settings);
  const adapter = await exchange.withKey(settings.key, null);
  await new Trial(settings, adapter, exchange.data).run();
  settings.print('Everything was as it must be.');
}

/** `try EXCHANGE AMOUNT`; the key comes on standard input as JSON, so that no history keeps it. */
export async function runTrial(
  [, name = '', amount = '']: readonly string[],
  origins: Partial<Record<LiveExchange, string>>,
  clock: Clock,
  print: (line: string) => void,
): Promise<void> {
  const exchange = LiveExchange.safeParse(name);
  if (!exchange.success || !/^\d+(\.\d+)?$/.test(amount))
    throw new Error('npm run signer -- try kraken|coinbase|binance AMOUNT < key.json');
  const key = ApiKey.safeParse(parsed(readFileSync(0, 'utf8')));
  if (!key.success) throw new Error('The key must be JSON: {"apiKey": "…", "secret": "…"}');
  await tryExchange({
    exchange: exchange.data,
    key: key.data,
    spend: parseFixed(amount),
    origin: origins[exchange.data] ?? null,
    clock,
    print,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
