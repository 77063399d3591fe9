/** What agents' screens say beside the engine's own numbers and codes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RISK_PROFILES } from '../../../../engine/execution/risk-profiles.ts';
import { planText } from '../../../../src/screens/agents/agent-text.ts';
import { REASON, reasonText } from '../../../../src/screens/agents/reason-text.ts';
import { PRESET_RISK, riskOf, worstLoss } from '../../../../src/screens/agents/agent-risk.ts';

/** The states and alarms of orders at an exchange are no reasons of a decision. */
const NO_DECISIONS = 'engine/orders';

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.parentPath !== NO_DECISIONS,
    )
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));

/** Literals that stand where a reason or a hold's code is made. */
function codesIn(text: string): string[] {
  const lines = text
    .split('\n')
    .filter(
      (line) =>
        /\breason\b|\bcode:|\bidle\(|\bnoOpinion\(|\bstay\(|\bexitTrade\(|return '[a-z_]+';|return '[a-z_]+' *\?/.test(
          line,
        ) &&
        !line.includes('import ') &&
        !line.includes('Pick<'),
    );
  return lines.flatMap((line) =>
    [...line.matchAll(/'([a-z]+(?:_[a-z0-9]+)*)'/g)].map((match) => match[1] ?? ''),
  );
}
/** Literals on such lines that are no reasons: sides, actions, bounds, rounding, data types. */
const OTHER = new Set([
  'buy',
  'sell',
  'exit',
  'enter',
  'hold',
  'skip',
  'up',
  'down',
  'cash',
  'participation',
  'string',
  'number',
  'action',
  'blocks',
  'passes',
  'unknown',
  'max_trade_amount',
  // What is wrong with a candle is told to whoever brought it, in its own words.
  'out_of_order',
  'not_a_number',
  'not_positive',
  'high_under_low',
  'jump',
  'volume',
]);

describe('codes in words', () => {
  it('words every code that the engine gives as a reason or a hold', () => {
    const codes = new Set(
      sources('engine')
        .flatMap(codesIn)
        .filter((code) => !OTHER.has(code)),
    );
    expect(codes.size).toBeGreaterThan(25);
    expect([...codes].filter((code) => REASON[code] === undefined)).toEqual([]);
  });

  it('words the reasons of sales that a person asked for', () => {
    const asked = ['server/agents/liquidate.ts', 'server/portfolio/exits.ts'].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/reason: (?:'[a-z_]+'(?: \| )?)+/g)].flatMap(
        (found) => [...found[0].matchAll(/'([a-z_]+)'/g)].map((match) => match[1] ?? ''),
      ),
    );
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.filter((code) => REASON[code] === undefined)).toEqual([]);
  });

  it('reads a code of a newer server as plain words', () => {
    expect(reasonText('some_new_guard')).toBe('some new guard');
  });
});

describe('risk before a start', () => {
  it('shows the presets that the engine applies', () => {
    for (const [profile, values] of Object.entries(RISK_PROFILES)) {
      const shown = PRESET_RISK[profile as keyof typeof PRESET_RISK];
      expect([
        shown.threshold,
        shown.position / 100,
        shown.stop / 100,
        shown.perTrade / 100,
        shown.dayLoss / 100,
        shown.drawdown / 100,
      ]).toEqual([
        values.threshold,
        values.maxPosition,
        values.stopLoss,
        values.riskPerTrade,
        values.dayLossHalt,
        values.drawdownHalt,
      ]);
    }
  });

  it('takes the least of the cap, the share of equity and what one trade may lose, and the stop of that with both fees', () => {
    expect(worstLoss(2_000, '10000', PRESET_RISK.Moderate)).toEqual({
      position: '1000',
      loss: '-50',
    });
    expect(worstLoss(500, '10000', PRESET_RISK.Moderate)).toEqual({ position: '500', loss: '-25' });
    // 1 % of equity at a stop of 8 % is 12.5 % of it, less than the 20 % that a position may be.
    expect(worstLoss(5_000, '10000', PRESET_RISK.Aggressive)).toEqual({
      position: '1250',
      loss: '-100',
    });
    expect(worstLoss(500, '10000', PRESET_RISK.Moderate, 10)).toEqual({
      position: '500',
      loss: '-25.975',
    });
    expect(
      riskOf('Moderate', [
        {
          profile: 'Moderate',
          max_position_percentage: 1,
          confidence_threshold: 0.9,
          stop_loss_percentage: 2,
        },
      ]),
    ).toMatchObject({ position: 1, threshold: 0.9, stop: 2, dayLoss: 4, isOwn: true });
  });

  it('says what an agent looks at, how often and with how much', () => {
    expect(
      planText({
        trading_pairs: ['BTC/USDT'],
        pool: 'all_pools',
        execution_interval: '5-minute',
        max_position_size: 1_000,
        quote: 'USDT',
        risk_profile: 'Moderate',
      }),
    ).toBe('Checks BTC/USDT every 5 minutes. Strategy: All pools. Largest position: 1,000 USDT.');
  });
});
