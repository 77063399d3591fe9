/** Exchange accounts in words: what is unknown, what is done, what a person can do. */
import { describe, expect, it } from 'vitest';
import { KEY_ADVICE } from '../../../../contract/key-advice.ts';
import { KeyFault, LiveExchange } from '../../../../contract/signer.ts';
import { endSentence } from '../../../../src/screens/live/account/EndTrading.tsx';
import { valueChange } from '../../../../src/screens/live/account/ValueChange.tsx';
import { faultText } from '../../../../src/screens/live/connect/key-steps.ts';
import { checkLimits, draftOf, isRaise } from '../../../../src/screens/live/limits-draft.ts';
import {
  alarmText,
  comparedText,
  connectionText,
  doubtText,
  movementText,
  orderState,
  orderTitle,
  writeOffText,
} from '../../../../src/screens/live/live-text.ts';
import { equityOfAgents, liveRisk } from '../../../../src/screens/live/start/live-risk.ts';
import { PRESET_RISK } from '../../../../src/screens/agents/agent-risk.ts';
import { liveNeeds } from '../../../../src/screens/dashboard/NeedsYou.tsx';
import { liveAccount, liveConnection, liveOrder } from '../../../support/live/live-replies.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

describe('a key', () => {
  it('is to have rights to trade and none to withdraw or transfer, by the exchange’s own names', () => {
    expect(KEY_ADVICE.kraken.forbid).toEqual(['Withdraw Funds']);
    expect(KEY_ADVICE.coinbase.forbid).toEqual(['Transfer']);
    expect(KEY_ADVICE.binance.forbid).toEqual([
      'Enable Withdrawals',
      'Enable Internal Transfer',
      'Permits Universal Transfer',
    ]);
    for (const { allow } of Object.values(KEY_ADVICE))
      expect(allow.filter((right) => /withdraw|transfer/i.test(right))).toEqual([]);
  });

  it('that cannot read is told what it lacks, where that is known', () => {
    const { kraken } = KEY_ADVICE;
    expect(faultText('cannot_read', 'kraken', kraken, ['Query Closed Orders & Trades'])).toBe(
      'This key cannot read what agents trade. Give it “Query Closed Orders & Trades” too at Kraken, under Settings → API.',
    );
    expect(faultText('cannot_read', 'kraken', kraken)).toContain('“Query Funds”');
  });

  it('that is not taken has a sentence for each reason, with what to do', () => {
    for (const exchange of LiveExchange.options)
      for (const fault of KeyFault.options) {
        const text = faultText(fault, exchange, KEY_ADVICE[exchange]);
        expect(text).toMatch(/^[A-Z].*\.$/);
        if (fault === 'can_withdraw' || fault === 'can_transfer')
          for (const name of KEY_ADVICE[exchange].forbid) expect(text).toContain(`“${name}”`);
      }
  });
});

describe('a connection', () => {
  it('keeps stop losses only where every open position has one', () => {
    const off = liveConnection(NOW, { entriesOffSince: NOW });
    const faulty = liveConnection(NOW, { keyFaults: ['can_withdraw'] });
    const [position] = liveAccount(NOW).positions;
    const bare = [position!, { ...position!, id: 'other', stopPrice: null }];
    expect(connectionText(off, true, [position!])).toBe(
      'Connected. Purchases are off; sales and stop losses stay active.',
    );
    expect(connectionText(off, true, bare)).toBe(
      'Connected. Purchases are off; sales stay active. Open positions without a stop loss: 1.',
    );
    expect(connectionText(off)).toBe('Connected. Purchases are off; sales stay active.');
    expect(connectionText(off, false, bare)).toBe(
      'Connected when last seen. Purchases were off; sales stay active. Open positions without a stop loss: 1.',
    );
    expect(connectionText(faulty, true, bare)).toMatch(
      / Sales stay active\. Open positions without a stop loss: 1\.$/,
    );
    expect(connectionText(faulty)).toMatch(/ Sales stay active\.$/);
  });

  it('says why no order leaves, and when it last agreed', () => {
    const { positions } = liveAccount(NOW);
    const waiting = liveConnection(NOW, { waitsFor: ['balances_unread', 'something_new'] });
    expect(connectionText(waiting)).toBe(
      'No order leaves now: balances have not been read, something new. Tradewind keeps reading Kraken.',
    );
    expect(connectionText(liveConnection(NOW, { entriesOffSince: NOW }))).toContain(
      'Purchases are off',
    );
    expect(connectionText(waiting, false)).toBe(
      'No order left when last seen: balances had not been read, something new. Tradewind keeps reading Kraken.',
    );
    expect(connectionText(liveConnection(NOW, { entriesOffSince: NOW }), false, positions)).toBe(
      'Connected when last seen. Purchases were off; sales and stop losses stay active.',
    );
    expect(
      connectionText(liveConnection(NOW, { keyFaults: ['can_withdraw'] }), true, positions),
    ).toBe(
      'Connected. Nothing is bought: the key can withdraw money. Replace it here, or change it at Kraken: it is read again within ten minutes. Sales and stop losses stay active.',
    );
    expect(connectionText(liveConnection(NOW, { keyFaults: ['invalid_key'] }))).toContain(
      'Nothing is bought: the key is not accepted any more. Replace it here, or change it at Kraken: it is read again within ten minutes. Sales are still tried.',
    );
    const unread = liveConnection(NOW, {
      waitsFor: ['balances_unread'],
      keyFaults: ['cannot_read'],
      permissions: { ...liveConnection(NOW).permissions!, missing: ['Query Funds'] },
    });
    expect(connectionText(unread)).toBe(
      'No order leaves now: balances have not been read. The key cannot read the account, without “Query Funds”. Replace it here, or change it at Kraken: it is read again within ten minutes.',
    );
    expect(connectionText(liveConnection(NOW, { keyFaults: ['cannot_trade'] }), false)).toBe(
      'Connected when last seen. Nothing was bought: the key cannot trade.',
    );
    expect(comparedText(liveConnection(NOW), NOW)).toBe('Compared with Kraken 12 s ago');
    expect(comparedText(liveConnection(NOW, { reconciledAt: null }), NOW)).toBe(
      'Not compared with Kraken yet',
    );
  });
});

it('an alarm about a key says what is wrong with it', () => {
  const alarm = (detail: unknown) =>
    alarmText({ kind: 'key_refused', about: '1', raisedAt: NOW, detail }).title;
  expect(alarm({ faults: ['can_withdraw', 'can_transfer'] })).toBe(
    'Nothing is bought: the key can withdraw money and can move money to other accounts',
  );
  expect(alarm({ faults: ['invalid_key'] })).toBe('The exchange no longer accepts the key');
  expect(alarm({})).toBe('The exchange no longer accepts the key');
});

describe('an order', () => {
  it('is filled only where the exchange has said so, digit by digit', () => {
    expect(orderTitle(liveOrder(NOW))).toBe('Buy 0.00123456 BTC');
    expect(orderState(liveOrder(NOW))).toBe('Open');
    expect(orderState(liveOrder(NOW, { filled: '0.0004', isCancelling: true }))).toBe(
      'Open, 0.0004 of 0.00123456 BTC filled, cancellation asked',
    );
    expect(orderState(liveOrder(NOW, { state: 'sending' }))).toBe('Sent, no answer yet');
    expect(
      orderState(liveOrder(NOW, { state: 'rejected', code: 'EOrder:Insufficient funds' })),
    ).toBe('Rejected (EOrder:Insufficient funds)');
    const stop = liveOrder(NOW, { type: 'stop', side: 'sell', stopPrice: '66240' });
    expect(orderTitle(stop)).toBe('Stop: sell 0.00123456 BTC below 66,240.00');
    expect(orderState(stop)).toBe('Resting at the exchange');
  });

  it('that may have changed since is told as last seen; one that has ended stays ended', () => {
    expect(orderState(liveOrder(NOW), false)).toBe('Open when last seen');
    expect(orderState(liveOrder(NOW, { filled: '0.0004', isCancelling: true }), false)).toBe(
      'Open when last seen, 0.0004 of 0.00123456 BTC filled, cancellation asked',
    );
    expect(orderState(liveOrder(NOW, { state: 'filled' }), false)).toBe('Filled');
    const doubt = {
      since: NOW - 2 * MINUTE,
      cause: 'interrupted',
      doing: 'looking_up',
      mayGiveUpAt: NOW + 3 * MINUTE,
    } as const;
    const then = doubtText(liveOrder(NOW, { state: 'unknown', doubt }), 'Kraken', NOW, false);
    expect(then?.since).toBe(
      'Outcome unknown when last seen: the server stopped while the order was on its way.',
    );
    expect(then?.doing).toBe(
      'Tradewind was asking Kraken for it. It is never sent again until that is clear. 91.23 USD were reserved and BTC/USD took no new purchases.',
    );
  });

  it('of unknown outcome says since when, what is done and what the person can do', () => {
    const doubt = {
      since: NOW - 2 * MINUTE,
      cause: 'interrupted',
      doing: 'looking_up',
      mayGiveUpAt: NOW + 3 * MINUTE,
    } as const;
    const early = doubtText(liveOrder(NOW, { state: 'unknown', doubt }), 'Kraken', NOW);
    expect(early?.since).toBe(
      'Outcome unknown for 2 min: the server stopped while the order was on its way.',
    );
    expect(early?.doing).toBe(
      'Tradewind is asking Kraken for it. It is never sent again until that is clear. 91.23 USD stay reserved and BTC/USD takes no new purchases.',
    );
    expect(early?.mayGiveUp).toBe(false);
    expect(early?.you).toContain('in 3 min you can give it up here');
    const late = doubtText(
      liveOrder(NOW, { state: 'unknown', doubt: { ...doubt, doing: 'ask_person' } }),
      'Kraken',
      NOW + 3 * MINUTE,
    );
    expect(late?.mayGiveUp).toBe(true);
    expect(late?.you).toContain('If it is not there, give it up here.');
    expect(doubtText(liveOrder(NOW), 'Kraken', NOW)).toBeNull();
  });
});

describe('alarms and movements', () => {
  it('have words, also for a kind this page does not know', () => {
    expect(
      alarmText({
        kind: 'coins_missing',
        about: 'x',
        raisedAt: NOW,
        detail: { asset: 'BTC', amount: '0.5' },
      }),
    ).toEqual({
      title: 'The account has less of a coin than agents hold',
      about: '0.5 BTC',
    });
    const waiting = (detail: Record<string, unknown>): string =>
      alarmText({ kind: 'sale_waits_for_pair', about: 'x', raisedAt: NOW, detail }).title;
    expect(waiting({ symbol: 'BTC/USD', hasStop: true })).toMatch(/the stop loss there stays/);
    expect(waiting({ symbol: 'BTC/USD', hasStop: false })).toMatch(/no stop loss rests there/);
    expect(waiting({ symbol: 'BTC/USD' })).not.toMatch(/stop loss/);
    const refused = (detail: Record<string, unknown>): string =>
      alarmText({ kind: 'sale_refused', about: 'x', raisedAt: NOW, detail }).title;
    expect(refused({ hasStop: true })).toMatch(
      /limit of the stop loss at the exchange is above the market/,
    );
    expect(refused({ isPart: true })).toMatch(/no stop loss guards that part/);
    expect(refused({ isRejected: true })).toMatch(/turned a sale down several times/);
    expect(refused({ isRejected: true, isPart: true })).toMatch(/no stop loss guards that part/);
    expect(refused({})).toMatch(/no stop loss rests at the exchange/);
    const unreachable = (detail: Record<string, unknown>): string =>
      alarmText({ kind: 'unreachable', about: 'x', raisedAt: NOW, detail }).title;
    expect(unreachable({})).toBe('The exchange cannot be reached');
    expect(unreachable({ what: 'pair_rules' })).toMatch(/does not say how its pairs are traded/);
    expect(alarmText({ kind: 'brand_new', about: 'x', raisedAt: NOW, detail: null })).toEqual({
      title: 'Brand new',
      about: '',
    });
    expect(
      movementText({
        id: '1',
        kind: 'hand_trade',
        asset: null,
        amount: null,
        trade: { symbol: 'BTC/USD', side: 'sell', quantity: '0.00000001', price: '70000' },
        at: NOW,
      }),
    ).toEqual({ kind: 'Trade by hand', what: 'Sold 0.00000001 BTC at 70,000.00' });
  });
});

describe('limits', () => {
  const present = { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' };

  it('are lowered at once and raised with a confirmation', () => {
    expect(isRaise({ ...present, maxOrder: '99.99' }, present)).toBe(false);
    expect(isRaise(present, present)).toBe(false);
    expect(isRaise({ ...present, maxOrder: '1', maxDailyLoss: '25.01' }, present)).toBe(true);
  });

  it('stay under the first week’s caps, and are amounts', () => {
    expect(checkLimits(draftOf(present), present)).toEqual({ ok: true, limits: present });
    const wrong = checkLimits({ maxOrder: '101', maxExposure: 'much', maxDailyLoss: '5' }, present);
    expect(wrong).toEqual({
      ok: false,
      issues: {
        maxOrder: 'At most 100 in the first week.',
        maxExposure: 'Enter an amount in dollars.',
      },
    });
  });
});

describe('what can be lost', () => {
  const limits = { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' };

  it('counts every pair up to the exposure, fees of both sides, and the whole of it in a gap', () => {
    const can = liveRisk(
      { max_position_size: 90, trading_pairs: ['BTC/USD', 'ETH/USD'] },
      '1000',
      limits,
      PRESET_RISK.Aggressive,
      100,
    );
    // 90 a pair, 180 at once; 8 % of it is 14.40, fees 1.80 and 1.656.
    expect(can).toEqual({ position: '90', atOnce: '180', atStops: '-17.856', inGap: '-181.8' });
  });

  it('is never more than the account or its exposure', () => {
    const agent = { max_position_size: 1_000_000, trading_pairs: Array.from({ length: 20 }) };
    const risk = PRESET_RISK.Aggressive;
    expect(liveRisk(agent, '100000', limits, risk, 0).atOnce).toBe('500');
    expect(liveRisk(agent, '300', limits, risk, 0).atOnce).toBe('300');
  });
});

describe('the value of an account', () => {
  it('changes by no deposit and no withdrawal, and not at all where one is not known', () => {
    const from = NOW - 2 * MINUTE;
    const doubled = [
      [from, '5000'],
      [NOW - MINUTE, '5000'],
      [NOW, '10010'],
    ] as const;
    const paid = (at: number, amount: string | null) => valueChange(doubled, [[at, amount]]);
    expect(paid(NOW, '5000')).toEqual({ amount: '10', percent: null });
    expect(paid(NOW, '6000')).toEqual({ amount: '-990', percent: null });
    expect(paid(NOW - MINUTE, null)).toEqual({ amount: null, percent: null });
    expect(valueChange(doubled, null)).toEqual({ amount: null, percent: null });
    // What came with the first point or before, or after the last, is none of the range.
    for (const at of [from - 1, from, NOW + 1])
      expect(paid(at, '5000')).toEqual({ amount: '5010', percent: 100.2 });
    expect(valueChange([[NOW, '1']], [])).toBeNull();
  });
});

describe('what agents are sized by', () => {
  const account = liveAccount(0);
  const ODD = { asset: 'ODD', amount: '50000', reserved: '0' };

  it('is cash and what they hold, whatever coins of the person’s own have no price', () => {
    expect(equityOfAgents({ ...account, cash: [...account.cash, ODD] })).toBe('999.24633678');
    expect(equityOfAgents({ ...account, cash: [] })).toBe('90.12288');
  });

  it('is not known while something that they hold has no price', () => {
    const positions = account.positions.map((held) => ({ ...held, value: null }));
    expect(equityOfAgents({ ...account, positions })).toBeNull();
  });
});

describe('ending live trading', () => {
  it('says exactly what it does now', () => {
    const orders = [
      liveOrder(NOW),
      liveOrder(NOW, { clientOrderId: 'f'.repeat(32), type: 'stop', side: 'sell' }),
      liveOrder(NOW, { clientOrderId: 'e'.repeat(32), state: 'filled' }),
    ];
    expect(endSentence(1, liveAccount(NOW, { orders }))).toBe(
      'Stops 1 agent. Cancels 2 open orders of Tradewind’s at Kraken, 1 of them stop losses. Nothing is sold: 1 position stays in your account without a stop loss.',
    );
    // Before the agents are loaded, none is said to be stopped already.
    expect(endSentence(null, liveAccount(NOW, { positions: [] }))).toMatch(
      /^Stops every agent of this account\. /,
    );
    expect(endSentence(0, liveAccount(NOW, { positions: [] }))).toBe(
      'No agent is running. No order of Tradewind’s is open. Nothing is sold.',
    );
  });
});

describe('what an agent gave up', () => {
  const givenUp = { id: 'one', agentId: 'a', symbol: 'BTC/USDT', cost: '0.6', at: NOW };

  it('is told apart: coins that are gone, and dust that is the person’s at the exchange', () => {
    const quantity = '0.00000914';
    expect(writeOffText({ ...givenUp, quantity }, 'Binance')).toEqual({
      kind: 'Written off by an agent, at cost',
      what: '0.00000914 BTC',
    });
    expect(writeOffText({ ...givenUp, quantity, why: 'dust' }, 'Binance')).toEqual({
      kind: 'Too little to sell. It is yours at Binance.',
      what: '0.00000914 BTC',
    });
  });
});

describe('what the dashboard asks for', () => {
  it('names the account and what is unknown, stands still or was raised; nothing where all is well', () => {
    const id = liveConnection(NOW).id;
    expect(liveNeeds([liveConnection(NOW)], {})).toEqual([]);
    expect(liveNeeds([liveConnection(NOW, { state: 'ended', unknownOrders: 2 })], {})).toEqual([]);
    const doubtful = liveConnection(NOW, { unknownOrders: 1, waitsFor: ['trades_unread'] });
    expect(liveNeeds([doubtful], { [id]: 2 })).toEqual([
      {
        key: `live ${id}`,
        to: `/live/${id}`,
        title: 'LIVE · Kraken, Main',
        text: 'The outcome of an order is unknown. No order leaves until it is read again. 2 alarms.',
      },
    ]);
  });
});
