/**
 * The backtest as a command: one JSON object that adds up, whatever follows the period left out of
 * it, and plain words for a wrong setting.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BacktestReport } from '../../contract/backtest.ts';
import { add, formatFixed, parseFixed, subtract, sum, toNumber } from '../../contract/money.ts';
import { engineHash } from '../../server/engine-hash.ts';
import { readTape } from '../../server/market/replay-tape.ts';
import { writeTape } from '../support/tape.ts';

const PAIRS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];
const START = Date.UTC(2022, 0, 1);
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-backtest-'));
  writeTape({ folder: join(folder, '5m'), pairs: PAIRS, from: START, candles: 46 * 288 });
  whole = reportOf();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const run = (...more: string[]) =>
  spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      'scripts/backtest.ts',
      '--data',
      join(folder, '5m'),
      '--pool',
      'momentum_24h',
      '--pairs',
      PAIRS.join(','),
      '--from',
      '2022-02-05',
      '--to',
      '2022-02-12',
      ...more,
    ],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
let whole: BacktestReport;
const reportOf = (...more: string[]): BacktestReport =>
  JSON.parse(run('--json', ...more).stdout) as BacktestReport;

describe('npm run backtest', () => {
  it('prints one object whose trades, costs and equity add up to the last digit, filled at the open after the decision', async () => {
    const report = whole;
    expect(report.trades.length).toBeGreaterThan(10);
    const closed = report.trades.filter((trade) => trade.exitTime !== null);
    expect(
      report.trades
        .filter((trade) => trade.exitTime === null)
        .every(
          (trade) => trade.pnl === null && trade.exitPrice === null && trade.exitReason === null,
        ),
    ).toBe(true);
    expect(formatFixed(add(parseFixed(report.realized), parseFixed(report.unrealized)))).toBe(
      formatFixed(subtract(parseFixed(report.finalEquity), parseFixed('10000'))),
    );
    expect(report.equity[0]).toEqual({ time: '2022-02-05T00:00:00.000Z', equity: '10000' });
    expect(report.equity.at(-1)).toEqual({
      time: '2022-02-12T00:00:00.000Z',
      equity: report.finalEquity,
    });
    expect(report.equity).toHaveLength(7 * 288 + 1);
    expect(report.tested).toEqual({
      settings: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      data: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      engine: engineHash(),
    });
    expect(formatFixed(sum(report.trades.map((trade) => parseFixed(trade.fees))))).toBe(
      report.costs.fees,
    );
    for (const { pnl, quantity, entryPrice, exitPrice, fees } of closed) {
      const roughly =
        toNumber(parseFixed(quantity)) * (Number(exitPrice) - Number(entryPrice)) - Number(fees);
      expect(Number(pnl)).toBeCloseTo(roughly, 6);
    }
    const { candles } = await readTape(join(folder, '5m'));
    for (const { pair, entryTime, entryPrice } of report.trades) {
      const bar = candles.get(pair)?.find(({ time }) => time === Date.parse(entryTime));
      expect(Number(entryPrice), `${pair} ${entryTime}`).toBeGreaterThan(bar?.open ?? Infinity);
      expect(
        report.decisions.some(
          (one) => one.action === 'enter' && one.pair === pair && one.time === entryTime,
        ),
      ).toBe(true);
    }
    expect(Object.keys(report.metrics).sort()).toEqual([
      'cagr',
      'calmar',
      'expectancy',
      'exposure',
      'maxDrawdown',
      'profitFactor',
      'sharpe',
      'sortino',
      'totalReturn',
      'turnover',
      'volatility',
      'winRate',
    ]);
    expect(report.metrics.totalReturn).toBeCloseTo(Number(report.finalEquity) / 10_000 - 1, 9);
    const results = report.trades.flatMap(({ pnl }) => (pnl === null ? [] : [Number(pnl)]));
    expect(report.metrics.winRate).toBeCloseTo(
      results.filter((pnl) => pnl > 0).length / results.length,
      12,
    );
    expect(report.metrics.expectancy).toBeCloseTo(
      results.reduce((total, pnl) => total + pnl, 0) / results.length,
      9,
    );
  });

  it('knows nothing of what comes later, takes a folder of tapes with coarser history, and costs what it is told', () => {
    const cut = reportOf('--to', '2022-02-09');
    const before = (report: BacktestReport) =>
      report.decisions
        .filter(({ time }) => time < '2022-02-09')
        .map(({ time, pair, action, reason }) => `${time} ${pair} ${action} ${reason}`);
    expect(before(cut).length).toBeGreaterThan(5);
    expect(before(cut)).toEqual(before(whole));
    writeTape({
      folder: join(folder, '1h'),
      pairs: PAIRS,
      from: START - 60 * 86_400_000,
      candles: 60 * 24,
      stepMs: 3_600_000,
    });
    const early = ['--data', folder, '--from', '2022-01-02', '--to', '2022-01-04', '--json'];
    const withHistory = JSON.parse(run(...early).stdout) as BacktestReport;
    expect(withHistory.trades.length).toBeGreaterThan(0);
    expect(
      (JSON.parse(run(...early, '--data', join(folder, '5m')).stdout) as BacktestReport).trades,
    ).toEqual([]);
    expect(reportOf('--fee-bps', '0').costs.fees).toBe('0');
  });

  it('trades the finest candles that have every pair and reach the end of the period, and says which it left alone', () => {
    const both = join(folder, 'both');
    writeTape({
      folder: join(both, '5m'),
      pairs: PAIRS.slice(0, 2),
      from: START,
      candles: 40 * 288,
    });
    writeTape({
      folder: join(both, '1h'),
      pairs: PAIRS,
      from: START - 60 * 86_400_000,
      candles: 130 * 24,
      stepMs: 3_600_000,
    });
    const points = (pairs: string, from: string, to: string) => {
      const { status, stderr, stdout } = run(
        '--data',
        both,
        '--pairs',
        pairs,
        '--from',
        from,
        '--to',
        to,
        '--json',
      );
      return { status, stderr, points: (JSON.parse(stdout) as BacktestReport).equity.length };
    };
    expect(points(PAIRS.slice(0, 2).join(','), '2022-02-05', '2022-02-07')).toEqual({
      status: 0,
      stderr: '',
      points: 2 * 288 + 1,
    });
    const hourly = { status: 0, stderr: expect.stringMatching(/hourly|60-minute/) as string };
    expect(points(PAIRS.slice(0, 2).join(','), '2022-02-05', '2022-02-25')).toEqual({
      ...hourly,
      points: 20 * 24 + 1,
    });
    expect(points(PAIRS.join(','), '2022-02-05', '2022-02-07')).toEqual({
      ...hourly,
      points: 2 * 24 + 1,
    });
    expect(points(PAIRS.slice(0, 2).join(','), '2022-03-01', '2022-03-03')).toEqual({
      ...hourly,
      points: 2 * 24 + 1,
    });
  });

  it('says of rows that are no candle, of gaps and of long wicks what it does with them, and prints the object alone', () => {
    const spoilt = join(folder, 'spoilt');
    writeTape({ folder: spoilt, pairs: PAIRS, from: START, candles: 46 * 288 });
    const file = join(spoilt, 'BTC-USDT.csv.gz');
    const rows = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
    const at = (n: number, change: (fields: string[]) => string[]): void => {
      rows[n] = change((rows[n] ?? '').split(',')).join(',');
    };
    const first = 36 * 288;
    at(first, ([time = '', ...rest]) => [time, 'NaN', ...rest.slice(1)]);
    at(first + 10, ([time = '', open = '', high = '', low = '', ...rest]) => [
      time,
      open,
      low,
      high,
      ...rest,
    ]);
    at(first + 20, ([time = '', open = '', high = '', , ...rest]) => [
      time,
      open,
      high,
      '-3',
      ...rest,
    ]);
    at(first + 30, () => (rows[first + 29] ?? '').split(','));
    at(first + 40, (fields) => [...fields.slice(0, 5), '1e99']);
    at(first + 50, ([time = '', open = '', high = '', , ...rest]) => [
      time,
      open,
      high,
      String(Number(open) * 0.4),
      ...rest,
    ]);
    rows.splice(first + 60, 24);
    writeFileSync(file, gzipSync(rows.join('\n')));
    const { status, stderr, stdout } = run('--json', '--data', spoilt);
    expect(status).toBe(0);
    expect(stderr.split('\n').filter((line) => line !== '')).toEqual([
      'BTC/USDT: 5 rows were left out (1 not a number, 1 high under low, or open or close outside them, 1 zero or negative, 1 doubled or out of order, 1 a volume that nobody trades). No decisions are made on them.',
      'BTC/USDT: 28 candles are missing in 5 gaps. No entries there; a stop loss fills at the first price afterwards.',
      'BTC/USDT: 1 candle has a wick of more than half the price. A stop loss inside it is filled.',
    ]);
    const report = JSON.parse(stdout) as BacktestReport;
    const gone = (n: number): string => new Date(START + (first - 1 + n) * 300_000).toISOString();
    for (const { entryTime, pair } of report.trades)
      if (pair === 'BTC/USDT') expect([0, 10, 20, 30].map(gone)).not.toContain(entryTime);
    expect(run('--json').stderr).toBe('');
  }, 60_000);

  it.each([
    [['--pool', 'moonshot', '--pairs', 'btcusdt'], '--pairs: Enter a pair such as BTC/USDT'],
    [['--pairs', 'DOGE/USDT'], 'has no file like'],
    [['--from', 'soon'], '--from: give a UTC date such as 2022-02-05'],
    [['--from', '2023-01-01', '--to', '2023-02-01'], '--from: no candles between'],
    [['--speed', '9'], 'speed'],
  ])('refuses %j in words, with its usage', (args, sentence) => {
    const { status, stderr, stdout } = run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('npm run backtest');
  });
});
