/**
 * What each measure says, how it is made, and why there is none yet; refuses to call a missing
 * figure zero.
 */
import { YEARLY_LEAST_DAYS } from '../../../contract/limits.ts';
import type { Analytics, Metrics } from '../../../contract/trading.ts';

export type MetricName = keyof Metrics;
export interface MetricText {
  name: MetricName;
  label: string;
  kind: 'share' | 'ratio' | 'money';
  signed?: boolean;
  says: string;
  made: string;
}

/** In every plan. */
export const BASIC: readonly MetricText[] = [
  {
    name: 'totalReturn',
    label: 'Total return',
    kind: 'share',
    signed: true,
    says: 'What the account gained or lost, of what it began with.',
    made: 'Equity now ÷ first equity − 1',
  },
  {
    name: 'maxDrawdown',
    label: 'Largest drawdown',
    kind: 'share',
    signed: true,
    says: 'The deepest fall from a peak, by daily equity. What it took to hold on.',
    made: 'Lowest equity after a peak ÷ that peak − 1',
  },
  {
    name: 'winRate',
    label: 'Win rate',
    kind: 'share',
    says: 'How many closed trades gained after fees. High with small wins and large losses still loses.',
    made: 'Sales with a gain ÷ all sales',
  },
  {
    name: 'profitFactor',
    label: 'Profit factor',
    kind: 'ratio',
    says: 'What was won for each unit lost. Below 1 the losses are larger.',
    made: 'Sum of gains ÷ sum of losses',
  },
];

/** With `analytics:read`. */
export const DEEP: readonly MetricText[] = [
  {
    name: 'cagr',
    label: 'Annual growth',
    kind: 'share',
    signed: true,
    says: 'The steady yearly growth that leads from the first equity to the present one.',
    made: '(Equity now ÷ first equity) ^ (365 ÷ days) − 1',
  },
  {
    name: 'volatility',
    label: 'Volatility, annual',
    kind: 'share',
    says: 'How much daily equity swings, as a year’s standard deviation.',
    made: 'Standard deviation of daily returns × √365',
  },
  {
    name: 'sharpe',
    label: 'Sharpe',
    kind: 'ratio',
    says: 'Return for each unit of swing, up or down. Over a short time mostly chance.',
    made: 'Mean daily return ÷ its standard deviation × √365, risk-free rate 0',
  },
  {
    name: 'sortino',
    label: 'Sortino',
    kind: 'ratio',
    says: 'Return for each unit of downward swing alone.',
    made: 'Mean daily return ÷ downside deviation over all days × √365',
  },
  {
    name: 'calmar',
    label: 'Calmar',
    kind: 'ratio',
    says: 'Yearly growth for each unit of the deepest fall.',
    made: 'Annual growth ÷ largest drawdown',
  },
  {
    name: 'expectancy',
    label: 'Expectancy a trade',
    kind: 'money',
    signed: true,
    says: 'What a closed trade brought on average, after fees.',
    made: 'Realised ÷ number of sales',
  },
  {
    name: 'exposure',
    label: 'Exposure',
    kind: 'share',
    says: 'How much of the time something was held, and so at risk.',
    made: 'Time with a position ÷ time of the book',
  },
  {
    name: 'turnover',
    label: 'Turnover',
    kind: 'ratio',
    says: 'How often the account was traded over. Each time costs fees and spread.',
    made: 'Everything traded ÷ mean daily equity',
  },
];

const YEARLY: readonly MetricName[] = ['cagr', 'volatility', 'sharpe', 'sortino', 'calmar'];
const OF_SALES: readonly MetricName[] = ['winRate', 'profitFactor', 'expectancy'];

/** Why a figure is not there, from what the account has. */
export function whyMissing(
  name: MetricName,
  { days, sells }: Pick<Analytics, 'days' | 'sells'>,
): string {
  if (YEARLY.includes(name) && days < YEARLY_LEAST_DAYS)
    return `Needs ${YEARLY_LEAST_DAYS} days, there ${days === 1 ? 'is 1' : `are ${days}`}`;
  if (OF_SALES.includes(name) && (sells ?? 0) === 0) return 'Needs a closed trade';
  if (name === 'profitFactor') return 'No loss yet to divide by';
  if (name === 'sortino') return 'No falling day yet to divide by';
  if (name === 'calmar') return 'No drawdown yet to divide by';
  if (name === 'sharpe') return 'Equity has not moved yet';
  return days === 0 ? 'Needs a first mark' : 'Not defined yet';
}
