/** The sums behind analytics: days, agents, pairs and hours, all from one reply of the server. */
import type { Analytics, Fill } from '../../../contract/trading.ts';
import { ofDay, ofSales } from './account-sums.ts';
import { equation, less, sumOf, type Explanation, type Row } from './equation.ts';
import { formatNumber } from '../../format/numbers.ts';

interface Measured {
  analytics: Analytics;
  fills: readonly Fill[];
}
type Group = Analytics['perAgent'][number] | Analytics['perPair'][number];

const dayName = (start: number): string => new Date(start).toISOString().slice(0, 10);
const change = (day: { opening: string; closing: string }): string =>
  sumOf([day.closing, less(day.opening)]);
const hourName = (hour: number): string =>
  `${String(hour).padStart(2, '0')}:00 to ${String((hour + 1) % 24).padStart(2, '0')}:00 UTC`;

/** All days together, newest first; grouped by month once there are many. */
export function ofDays({ analytics, fills }: Measured): Explanation {
  const days = [...(analytics.daily ?? [])].reverse();
  const { quote } = analytics;
  const row = (day: (typeof days)[number]): Row => ({
    key: String(day.start),
    label: dayName(day.start),
    value: change(day),
    change: true,
    open: () => ofDay(day, fills, quote, dayName(day.start)),
  });
  const total = { label: 'Result of these days', value: sumOf(days.map(change)), change: true };
  const months = [...new Set(days.map(({ start }) => dayName(start).slice(0, 7)))];
  const rows =
    days.length <= 35
      ? days.map(row)
      : months.map((month): Row => {
          const mine = days.filter(({ start }) => dayName(start).startsWith(month));
          const value = sumOf(mine.map(change));
          return {
            key: month,
            label: month,
            note: `${mine.length} ${mine.length === 1 ? 'day' : 'days'}`,
            value,
            change: true,
            open: () => ({
              title: month,
              quote,
              equations: [equation('Days', mine.map(row), { label: month, value, change: true })],
            }),
          };
        });
  return {
    title: 'Result, day by day',
    quote,
    words: 'Change in equity of each UTC day.',
    equations: [equation('Days', rows, total)],
  };
}

const resultOf = (group: Pick<Group, 'realized' | 'unrealized'>): string =>
  sumOf([group.realized, group.unrealized]);

function ofGroup(group: Group, title: string, mine: readonly Fill[], quote: string): Explanation {
  return {
    title,
    quote,
    equations: [
      equation(
        'Result',
        [
          {
            key: 'realized',
            label: 'Realised, net of fees',
            value: group.realized,
            change: true,
            open: () => ofSales(`${title}, realised`, mine, group.realized, quote),
          },
          { key: 'unrealized', label: 'Unrealised', value: group.unrealized, change: true },
        ],
        { label: 'Result', value: resultOf(group), change: true },
      ),
    ],
    facts: [{ label: 'Trades', text: String(group.trades) }],
  };
}

export function ofPair({ analytics, fills }: Measured, pair: string): Explanation {
  const group = analytics.perPair.find((one) => one.pair === pair);
  if (group === undefined)
    return {
      title: pair,
      quote: analytics.quote,
      words: 'No trades.',
      equations: [],
    };
  return ofGroup(
    group,
    pair,
    fills.filter((fill) => fill.pair === pair),
    analytics.quote,
  );
}

/** The account's result by agent, pair or hour. */
export function ofMeasured(
  { analytics, fills }: Measured,
  by: 'by-agent' | 'by-pair' | 'by-hour',
): Explanation {
  const { quote, perAgent, perPair, perHour = [] } = analytics;
  if (by === 'by-hour') {
    const rows = perHour.map((one): Row => ({
      key: String(one.hour),
      label: hourName(one.hour),
      note: `${formatNumber(one.sells)} closed`,
      value: one.realized,
      change: true,
      open: () =>
        ofSales(
          hourName(one.hour),
          fills.filter((fill) => new Date(fill.filledAt).getUTCHours() === one.hour),
          one.realized,
          quote,
        ),
    }));
    return {
      title: 'Realised by hour',
      quote,
      words: 'By UTC hour of sale.',
      equations: [
        equation('Hours', rows, {
          label: 'Realised, net of fees',
          value: sumOf(perHour.map(({ realized }) => realized)),
          change: true,
        }),
      ],
    };
  }
  const rows =
    by === 'by-agent'
      ? perAgent.map((one): Row => ({
          key: one.agentId,
          label: one.agentName,
          value: resultOf(one),
          change: true,
          open: () =>
            ofGroup(
              one,
              one.agentName,
              fills.filter((fill) => fill.agentId === one.agentId),
              quote,
            ),
        }))
      : perPair.map((one): Row => ({
          key: one.pair,
          label: one.pair,
          value: resultOf(one),
          change: true,
          open: () => ofPair({ analytics, fills }, one.pair),
        }));
  return {
    title: by === 'by-agent' ? 'Result by agent' : 'Result by pair',
    quote,
    equations: [
      equation('Parts', rows, {
        label: 'Result',
        value: sumOf(rows.map(({ value }) => value)),
        change: true,
      }),
    ],
  };
}
