/** The meaning and formula of each metric, and the reason why it is not available yet. */
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
    says: 'Gain or loss since the start, as a share of the deposit.',
    made: 'Equity now ÷ first equity − 1',
  },
  {
    name: 'maxDrawdown',
    label: 'Maximum drawdown',
    kind: 'share',
    signed: true,
    says: 'Largest decline from a peak, by daily equity.',
    made: 'Lowest equity after a peak ÷ that peak − 1',
  },
  {
    name: 'winRate',
    label: 'Win rate',
    kind: 'share',
    says: 'Share of closed trades with a gain after fees. Large losses can outweigh a high rate.',
    made: 'Sales with a gain ÷ all sales',
  },
  {
    name: 'profitFactor',
    label: 'Profit factor',
    kind: 'ratio',
    says: 'Gains divided by losses. Below 1, losses are larger.',
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
    says: 'Constant yearly growth from the first to the current equity.',
    made: '(Equity now ÷ first equity) ^ (365 ÷ days) − 1',
  },
  {
    name: 'volatility',
    label: 'Volatility, annual',
    kind: 'share',
    says: 'Annualised standard deviation of daily returns.',
    made: 'Standard deviation of daily returns × √365',
  },
  {
    name: 'sharpe',
    label: 'Sharpe',
    kind: 'ratio',
    says: 'Return per unit of volatility. Over short periods, mostly chance.',
    made: 'Mean daily return ÷ its standard deviation × √365, risk-free rate 0',
  },
  {
    name: 'sortino',
    label: 'Sortino',
    kind: 'ratio',
    says: 'Return per unit of downside volatility.',
    made: 'Mean daily return ÷ downside deviation over all days × √365',
  },
  {
    name: 'calmar',
    label: 'Calmar',
    kind: 'ratio',
    says: 'Annual growth per unit of maximum drawdown.',
    made: 'Annual growth ÷ largest drawdown',
  },
  {
    name: 'expectancy',
    label: 'Expectancy per trade',
    kind: 'money',
    signed: true,
    says: 'Average result of a closed trade, after fees.',
    made: 'Realised ÷ number of sales',
  },
  {
    name: 'exposure',
    label: 'Exposure',
    kind: 'share',
    says: 'Share of time with an open position.',
    made: 'Time with a position ÷ age of the account',
  },
  {
    name: 'turnover',
    label: 'Turnover',
    kind: 'ratio',
    says: 'How many times the account was traded. Each time costs fees and spread.',
    made: 'Total traded ÷ mean daily equity',
  },
];

const YEARLY: readonly MetricName[] = ['cagr', 'volatility', 'sharpe', 'sortino', 'calmar'];
const OF_SALES: readonly MetricName[] = ['winRate', 'profitFactor', 'expectancy'];

/** Why a figure is missing. */
export function whyMissing(
  name: MetricName,
  { days, sells }: Pick<Analytics, 'days' | 'sells'>,
): string {
  if (YEARLY.includes(name) && days < YEARLY_LEAST_DAYS)
    return `Needs ${YEARLY_LEAST_DAYS} days, ${days} so far`;
  if (OF_SALES.includes(name) && (sells ?? 0) === 0) return 'No closed trade yet';
  if (name === 'profitFactor') return 'No loss yet';
  if (name === 'sortino') return 'No losing day yet';
  if (name === 'calmar') return 'No drawdown yet';
  if (name === 'sharpe') return 'Equity has not changed yet';
  return days === 0 ? 'No valuation yet' : 'Not available yet';
}
