/** The sums behind an account's figures, from the server's last reply. */
import {
  VENUE_RULES,
  type AgentResult,
  type DayResult,
  type Fill,
  type Portfolio,
  type Position,
} from '../../../contract/trading.ts';
import { formatNumber, formatPrice, formatQuantity, formatRatio } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { equation, less, sumOf, type Explanation, type Row } from './equation.ts';

/** Whether an exchange filled it, rather than our own rules on paper. */
export const isReal = ({ ruleVersion }: Pick<Fill, 'ruleVersion'>): boolean =>
  ruleVersion === VENUE_RULES;

/** The inputs of every sum. `fills`: as many as are loaded, newest first. */
export interface Account {
  portfolio: Portfolio;
  fills: readonly Fill[];
}

export const OLDER = 'older trades not loaded';
const DAY_MS = 86_400_000;
export const base = (pair: string): string => pair.split('/')[0] ?? pair;
const trades = (count: number): string =>
  `${formatNumber(count)} ${count === 1 ? 'trade' : 'trades'}`;

/** One sale: proceeds minus fee minus cost. */
export function ofSale(fill: Fill, quote: string): Explanation {
  const realized = fill.realized ?? '0';
  const cost = fill.costBasis ?? sumOf([fill.notional, less(fill.fee), less(realized)]);
  return {
    title: `${fill.pair} sold`,
    quote,
    words: `${fill.agentName}, ${formatMoment(fill.filledAt)}`,
    isLive: isReal(fill),
    equations: [
      equation(
        'Realised',
        [
          {
            key: 'proceeds',
            label: `${formatQuantity(fill.quantity)} ${base(fill.pair)} at ${formatPrice(fill.price)}`,
            value: fill.notional,
          },
          { key: 'fee', label: 'Fee', value: less(fill.fee) },
          { key: 'cost', label: 'Cost, entry fees included', value: less(cost) },
        ],
        { label: 'Realised', value: realized, change: true },
      ),
    ],
    facts: termsOf(fill),
  };
}

/** An exchange may charge the coin sold, which the cost then includes, or a third one. */
const CHARGED_ELSEWHERE = { label: 'Fee rate', text: '— not charged in the quote currency' };

/**
 * The values frozen into a fill, by which it can be recomputed. An exchange tells no quote and no
 * slippage of its fills.
 */
function termsOf(fill: Fill): NonNullable<Explanation['facts']> {
  const { feeBps, slippageBps, quoteBid, quoteAsk, ruleVersion } = fill;
  const feeRate = { label: 'Fee rate', text: `${formatPrice(feeBps)} bps` };
  if (isReal(fill)) return Number(feeBps) === 0 ? [CHARGED_ELSEWHERE] : [feeRate];
  return [
    feeRate,
    ...(quoteBid === undefined || quoteAsk === undefined
      ? []
      : [
          {
            label: 'Quote used, bid / ask',
            text: `${formatPrice(quoteBid)} / ${formatPrice(quoteAsk)}`,
          },
        ]),
    {
      label: 'Slippage from mid price',
      text: `${formatRatio(Number(slippageBps), 1)} bps worse`,
    },
    ...(ruleVersion === undefined
      ? []
      : [{ label: 'Fill rules version', text: String(ruleVersion) }]),
  ];
}

/** Sales, one row each, against a total from the server. */
export function ofSales(
  title: string,
  fills: readonly Fill[],
  realized: string,
  quote: string,
  words?: string,
): Explanation {
  const rows = fills
    .filter((fill) => fill.realized !== null)
    .map((fill): Row => ({
      key: fill.id,
      label: `Sold ${formatQuantity(fill.quantity)} ${base(fill.pair)} at ${formatPrice(fill.price)}`,
      note: `${fill.agentName} · ${formatMoment(fill.filledAt)}`,
      value: fill.realized ?? '0',
      change: true,
      open: () => ofSale(fill, quote),
    }));
  return {
    title,
    quote,
    ...(words === undefined ? {} : { words }),
    equations: [
      equation(
        'Sales',
        rows,
        { label: 'Realised, net of fees', value: realized, change: true },
        OLDER,
      ),
    ],
  };
}

/** Open positions against their cost. */
export function ofPosition(position: Position, quote: string): Explanation {
  const { value, cost, unrealized } = position;
  if (value === null || unrealized === null) {
    return {
      title: position.pair,
      quote,
      words: 'No price yet. Valued at cost.',
      equations: [
        equation(
          'Unrealised',
          [
            { key: 'value', label: 'Valued at cost', value: cost },
            { key: 'cost', label: 'Cost', value: less(cost) },
          ],
          { label: 'Unrealised', value: '0', change: true },
        ),
      ],
    };
  }
  return {
    title: position.pair,
    quote,
    words: `${position.agentName}, valued at the bid of ${formatPrice(position.price)}`,
    equations: [
      equation(
        'Unrealised',
        [
          {
            key: 'value',
            label: `${formatQuantity(position.quantity)} ${base(position.pair)} at ${formatPrice(position.price)}`,
            value,
          },
          {
            key: 'cost',
            label: `Cost at an average of ${formatPrice(position.averageCost)}, fees included`,
            value: less(cost),
          },
        ],
        { label: 'Unrealised', value: unrealized, change: true },
      ),
    ],
  };
}

const AS_A_WHOLE = 'Valued as a whole when the account closed.';
const isClosed = ({ book, books = [] }: Portfolio): boolean =>
  books.some((one) => one.book === book && one.closedAt !== null);

const positionRow = (position: Position, quote: string, named: boolean): Row => ({
  key: position.id,
  label: `${base(position.pair)} ${formatQuantity(position.quantity)}`,
  ...(named ? { note: position.agentName } : {}),
  value: position.unrealized ?? '0',
  change: true,
  open: () => ofPosition(position, quote),
});

export function ofUnrealized({ portfolio }: Account): Explanation {
  const { positions, quote, unrealized } = portfolio;
  const closed = isClosed(portfolio);
  return {
    title: 'Unrealised',
    quote,
    words: closed ? AS_A_WHOLE : 'Open positions at the bid, minus their cost.',
    equations: [
      equation(
        'Positions',
        // What each was worth by itself is not known any more.
        closed ? [] : positions.map((one) => positionRow(one, quote, true)),
        { label: 'Unrealised', value: unrealized, change: true },
        'Valued as a whole when the account closed',
      ),
    ],
  };
}

const realizedBy = ({ pairs }: AgentResult): string => sumOf(pairs.map(({ realized }) => realized));

/** What one agent has realised: by pair, then by sale. */
export function ofAgentRealized({ portfolio, fills }: Account, result: AgentResult): Explanation {
  const { quote } = portfolio;
  const rows = result.pairs
    .filter(({ sells }) => sells > 0)
    .map((pair): Row => ({
      key: pair.pair,
      label: pair.pair,
      note: `${formatNumber(pair.sells)} closed`,
      value: pair.realized,
      change: true,
      open: () =>
        ofSales(
          `${result.agentName}, ${pair.pair}`,
          fills.filter((fill) => fill.agentId === result.agentId && fill.pair === pair.pair),
          pair.realized,
          quote,
        ),
    }));
  return {
    title: `${result.agentName}, realised`,
    quote,
    words: 'Proceeds of sales minus their fees and cost.',
    equations: [
      equation('Pairs', rows, {
        label: 'Realised, net of fees',
        value: realizedBy(result),
        change: true,
      }),
    ],
  };
}

export function ofRealized(account: Account): Explanation {
  const { portfolio } = account;
  const rows = (portfolio.results ?? [])
    .filter(({ pairs }) => pairs.some(({ sells }) => sells > 0))
    .map((result): Row => ({
      key: result.agentId,
      label: result.agentName,
      value: realizedBy(result),
      change: true,
      open: () => ofAgentRealized(account, result),
    }));
  const words = 'Proceeds of sales minus their fees and cost. Includes deleted agents.';
  const total = { label: 'Realised, net of fees', value: portfolio.realized, change: true };
  // A portfolio from a push message has no parts: the loaded trades are used instead.
  if (portfolio.results === undefined)
    return { ...ofSales('Realised', account.fills, portfolio.realized, portfolio.quote, words) };
  return {
    title: 'Realised',
    quote: portfolio.quote,
    words,
    equations: [equation('Agents', rows, total)],
  };
}

const heldRows = (portfolio: Portfolio): Row[] =>
  isClosed(portfolio)
    ? [
        {
          key: 'held',
          label: 'Positions, valued as a whole when the account closed',
          value: portfolio.positionsValue,
        },
      ]
    : portfolio.positions.map((one) => ({
        key: `held-${one.id}`,
        label: `${base(one.pair)} ${formatQuantity(one.quantity)}`,
        note: one.agentName,
        value: one.value ?? one.cost,
      }));

/** Deposits and what became of them. */
export function ofEquity(account: Account): Explanation {
  const { portfolio } = account;
  const { quote, unpriced } = portfolio;
  const atCost = unpriced.length > 0 ? ` No price for ${unpriced.join(', ')}: valued at cost.` : '';
  return {
    title: 'Equity',
    quote,
    words: isClosed(portfolio) ? AS_A_WHOLE : `Valued at the bid.${atCost}`,
    equations: [
      equation(
        'Assets',
        [{ key: 'cash', label: 'Cash', value: portfolio.cash }, ...heldRows(portfolio)],
        { label: 'Equity', value: portfolio.equity },
      ),
      equation(
        'Where it came from',
        [
          { key: 'deposits', label: 'Deposits', value: portfolio.deposits },
          {
            key: 'realized',
            label: 'Realised, net of fees',
            value: portfolio.realized,
            change: true,
            open: () => ofRealized(account),
          },
          {
            key: 'unrealized',
            label: 'Unrealised',
            value: portfolio.unrealized,
            change: true,
            open: () => ofUnrealized(account),
          },
        ],
        { label: 'Equity', value: portfolio.equity },
      ),
    ],
    facts: [
      {
        label: 'Fees so far, already included in realised and cost',
        text: formatPrice(portfolio.fees),
      },
    ],
  };
}

/** Everything won and lost since the account was opened. */
export function ofResult(account: Account): Explanation {
  const { portfolio } = account;
  return {
    title: 'Result',
    quote: portfolio.quote,
    words: 'Since the account was opened.',
    equations: [
      equation(
        'Result',
        [
          {
            key: 'realized',
            label: 'Realised, net of fees',
            value: portfolio.realized,
            change: true,
            open: () => ofRealized(account),
          },
          {
            key: 'unrealized',
            label: 'Unrealised',
            value: portfolio.unrealized,
            change: true,
            open: () => ofUnrealized(account),
          },
        ],
        { label: 'Result', value: sumOf([portfolio.realized, portfolio.unrealized]), change: true },
      ),
    ],
  };
}

export function ofFees({ portfolio }: Account): Explanation {
  const rows = (portfolio.results ?? []).map((result): Row => ({
    key: result.agentId,
    label: result.agentName,
    note: trades(result.pairs.reduce((all, pair) => all + pair.trades, 0)),
    value: sumOf(result.pairs.map(({ fees }) => fees)),
    open: () => ({
      title: `${result.agentName}, fees`,
      quote: portfolio.quote,
      equations: [
        equation(
          'Pairs',
          result.pairs.map((pair) => ({
            key: pair.pair,
            label: pair.pair,
            note: trades(pair.trades),
            value: pair.fees,
          })),
          { label: 'Fees', value: sumOf(result.pairs.map(({ fees }) => fees)) },
        ),
      ],
    }),
  }));
  return {
    title: 'Fees',
    quote: portfolio.quote,
    words: 'Fees of all trades. Already included in realised and cost.',
    equations: [equation('Agents', rows, { label: 'Fees', value: portfolio.fees })],
  };
}

/**
 * Nothing may have been valued at midnight: the server was off, or the account had nothing to value.
 * The day then begins with what was known last.
 */
const LATE_OPENING_MS = 3_600_000;
function openingLabel({ start, openingAt = start }: DayResult): string {
  return start - openingAt <= LATE_OPENING_MS
    ? 'At 00:00 UTC'
    : `Last valuation before 00:00 UTC, ${formatMoment(openingAt)}`;
}

/**
 * One UTC day, or the part of it so far. A valuation has in it what was decided by then, so the
 * trades of the day are those between its two, such as a stop that was missed in the night before.
 */
export function ofDay(
  day: DayResult,
  fills: readonly Fill[],
  quote: string,
  title: string,
): Explanation {
  const { openingAt = day.start, closingAt = day.start + DAY_MS } = day;
  const mine = fills.filter(({ decidedAt }) => decidedAt > openingAt && decidedAt <= closingAt);
  const change = sumOf([day.closing, less(day.opening)]);
  return {
    title,
    quote,
    words: 'Days start at 00:00 UTC. Equity is valued at the bid.',
    equations: [
      equation(
        'Equity',
        [
          { key: 'closing', label: 'At the end of the day, or now', value: day.closing },
          { key: 'opening', label: openingLabel(day), value: less(day.opening) },
        ],
        { label: 'Change', value: change, change: true },
      ),
      equation(
        'Where it came from',
        [
          {
            key: 'realized',
            label: 'Realised that day, net of fees',
            value: day.realized,
            change: true,
            open: () => ofSales(`${title}, realised`, mine, day.realized, quote),
          },
          {
            key: 'held',
            label: 'Change in open positions',
            value: day.unrealizedChange,
            change: true,
          },
        ],
        { label: 'Change', value: change, change: true },
      ),
    ],
    facts: [
      { label: 'Trades', text: String(day.trades) },
      { label: 'Fees of these trades', text: formatPrice(day.fees) },
    ],
  };
}

export function ofToday(account: Account): Explanation {
  const { portfolio, fills } = account;
  if (portfolio.today != null) return ofDay(portfolio.today, fills, portfolio.quote, 'Today');
  const change = portfolio.dayChange ?? '0';
  return {
    title: 'Today',
    quote: portfolio.quote,
    words:
      portfolio.dayChange === null
        ? 'No valuation before today to compare with.'
        : 'Days start at 00:00 UTC. Details follow with the next update.',
    equations:
      portfolio.dayChange === null
        ? []
        : [
            equation(
              'Equity',
              [
                { key: 'now', label: 'Equity now', value: portfolio.equity },
                {
                  key: 'opening',
                  label: 'At 00:00 UTC',
                  value: sumOf([change, less(portfolio.equity)]),
                },
              ],
              { label: 'Change', value: change, change: true },
            ),
          ],
  };
}

/**
 * One agent: realised and unrealised, each of which opens. `total` is what was shown; prices may
 * have moved since.
 */
export function ofAgent(
  account: Account,
  agent: { id: string; name: string; total: string },
): Explanation {
  const { portfolio } = account;
  const result = portfolio.results?.find(({ agentId }) => agentId === agent.id);
  const held = portfolio.positions.filter(({ agentId }) => agentId === agent.id);
  const unrealized = sumOf(held.map((one) => one.unrealized));
  const realized = result === undefined ? '0' : realizedBy(result);
  return {
    title: agent.name,
    quote: portfolio.quote,
    equations: [
      equation(
        'Result',
        [
          {
            key: 'realized',
            label: 'Realised, net of fees',
            value: realized,
            change: true,
            ...(result === undefined ? {} : { open: () => ofAgentRealized(account, result) }),
          },
          {
            key: 'unrealized',
            label: 'Unrealised',
            value: unrealized,
            change: true,
            ...(held.length === 0 ? {} : { open: () => ofAgentUnrealized(account, agent) }),
          },
        ],
        { label: 'Result', value: agent.total, change: true },
        'Change since these rows were loaded',
      ),
    ],
  };
}

export function ofAgentUnrealized(
  { portfolio }: Account,
  agent: { id: string; name: string },
): Explanation {
  const held = portfolio.positions.filter(({ agentId }) => agentId === agent.id);
  return {
    title: `${agent.name}, unrealised`,
    quote: portfolio.quote,
    equations: [
      equation(
        'Positions',
        held.map((one) => positionRow(one, portfolio.quote, false)),
        { label: 'Unrealised', value: sumOf(held.map((one) => one.unrealized)), change: true },
      ),
    ],
  };
}
