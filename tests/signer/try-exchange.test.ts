/** The operator's trial goes through at each exchange, costs little, and says what is not as it must be. */
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import { tryExchange } from '../../signer/try-exchange.ts';
import { startStandIn, type StandIn, type StandInOptions } from '../support/exchange/stand-in.ts';

let standIn: StandIn | null = null;
afterEach(async () => {
  await standIn?.close();
  standIn = null;
});

async function attempt(
  dialect: StandInOptions['dialect'],
  spend = '20',
  prepare: (one: StandIn) => void = () => undefined,
): Promise<string[]> {
  const quote = dialect === 'binance' ? 'USDT' : 'USD';
  const one = await startStandIn({
    dialect,
    accounts: [{ name: 'main', balances: { [quote]: '20', BTC: '0.5' } }],
  });
  standIn = one;
  prepare(one);
  const lines: string[] = [];
  await tryExchange({
    exchange: dialect,
    origin: one.url,
    key: one.issueKey('main'),
    spend: parseFixed(spend),
    clock: { now: () => one.clock.trueNow(), sleep: (ms) => one.advance(ms) },
    print: (line) => lines.push(line),
  });
  return lines;
}

describe.each(['kraken', 'coinbase', 'binance'] as const)('a trial at %s', (dialect) => {
  it('places, finds, cancels, buys, protects and sells, and leaves no order and no other coin sold', async () => {
    const lines = await attempt(dialect, '19');
    expect(lines.at(-1)).toBe('Everything was as it must be.');
    const orders = standIn?.journal.orders({ by: 'api' }) ?? [];
    expect(orders.map(({ accepted }) => [accepted.side, accepted.type])).toMatchObject([
      ['buy', 'limit'],
      ['buy', expect.any(String) as string],
      ['sell', expect.stringMatching(/^stop/) as string],
      ['sell', expect.any(String) as string],
    ]);
    expect(orders.every(({ end }) => end !== null)).toBe(true);
    const coins = standIn?.journal.balancesOf('main').get('BTC') ?? 0n;
    expect(coins).toBeGreaterThanOrEqual(parseFixed('0.4999'));
  });

  it('spends no more than a hundred, and ends at the first thing that is wrong', async () => {
    await expect(attempt(dialect, '101')).rejects.toThrow('at most 100');
    await standIn?.close();
    await expect(
      attempt(dialect, '19', (one) => {
        one.faults.strike({ name: 'cancel-only' });
      }),
    ).rejects.toThrow(/limit buy|not as expected|pair|market/i);
    expect(standIn?.journal.of('accepted')).toEqual([]);
  });
});
