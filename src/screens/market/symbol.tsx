/** One pair: its price, day's figures, candles with the person's own trades, and which agents hold it. */
import { useEffect, useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { CandleInterval, CandleRow } from '../../../contract/market.ts';
import { api } from '../../api/api.ts';
import type { ChartMark } from '../../components/chart-drawing.ts';
import { classes } from '../../components/class-names.ts';
import { ChartPlace, EmptyState, ReadError, Skeleton, SkeletonRows } from '../../components/EmptyState.tsx';
import { Percent, Price } from '../../components/Figures.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { TimeChart } from '../../components/TimeChart.tsx';
import { errorSentence } from '../../format/errors.ts';
import { formatPrice, formatQuantity } from '../../format/numbers.ts';
import { formatSpan } from '../../format/times.ts';
import { whileSeen } from '../../resting-timer.ts';
import type { ScreenProps } from '../../shell/routes.ts';
import { connection } from '../../stores/connection.ts';
import { historyStore, loadHistory } from '../../stores/history.ts';
import { loadMarket, marketStore } from '../../stores/market.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import { Positions } from '../portfolio/Positions.tsx';
import { useMarketNow, useSlot } from '../reading.ts';

const INTERVALS: readonly CandleInterval[] = ['5m', '20m', '1h', '1d'];
const COUNT = 300;
const REREAD_MS = 60_000;

function useCandles(symbol: string, interval: CandleInterval) {
  const { online } = useSnapshot(connection);
  const [read, setRead] = useState<{ key: string; candles: CandleRow[] | null; error: string | null }>({ key: '', candles: null, error: null });
  const key = `${symbol} ${interval}`;
  useEffect(() => {
    const stop = new AbortController();
    const ask = (): void => {
      api.call('candles', { query: { symbol, interval, limit: COUNT }, signal: stop.signal }).then(
        (reply) => { setRead({ key, candles: reply.candles, error: null }); },
        (error: unknown) => { if (!stop.signal.aborted) setRead((held) => ({ key, candles: held.key === key ? held.candles : null, error: errorSentence(error) })); },
      );
    };
    ask();
    const rest = whileSeen(REREAD_MS, ask);
    return () => { stop.abort(); rest(); };
  }, [symbol, interval, key, online]);
  return read.key === key ? read : { key, candles: null, error: null };
}

export default function SymbolScreen({ params }: ScreenProps) {
  const symbol = (params.symbol ?? '').toUpperCase().replace('-', '/');
  const market = useSlot(marketStore, loadMarket);
  const quote = market.data?.symbols[symbol];
  const [interval, setCandleInterval] = useState<CandleInterval>('1h');
  const { candles, error } = useCandles(symbol, interval);
  const fills = useSlot(historyStore, loadHistory).data?.fills;
  const portfolio = useSlot(portfolioStore, loadPortfolio).data;
  const now = useMarketNow(10_000);
  const { online } = useSnapshot(connection);
  const marks = useMemo<ChartMark[]>(() => (fills ?? []).filter((fill) => fill.pair === symbol).map((fill) => ({ at: fill.filledAt, side: fill.side, text: '' })), [fills, symbol]);
  const positions = portfolio?.positions.filter((position) => position.pair === symbol) ?? [];
  if (market.data !== null && quote === undefined) {
    return (
      <>
        <h1 className="text-lg break-words">{symbol}</h1>
        <EmptyState title="Not offered here" action={<Link href="/market" className="text-accent underline underline-offset-2">All markets</Link>}>The present source, {market.data.source.label}, has no such pair.</EmptyState>
      </>
    );
  }
  return (
    <>
      <Link href="/market" className="mb-1 inline-flex min-h-8 items-center text-xs text-ink-3 hover:text-ink">Markets</Link>
      <h1 className="text-lg">{symbol}</h1>
      <div className="mb-4 flex flex-wrap items-baseline gap-x-3">
        {quote === undefined ? <Skeleton className="h-10 w-40" /> : <Price value={quote.price} className="text-figure font-semibold tracking-[-0.02em]" />}
        {quote !== undefined && <><Percent value={quote.price_change_24h} why="Less than a day of history" /><span className="text-ink-3">24 h</span></>}
        {quote?.stale === true && <span className="text-amber">Price {formatSpan(now - quote.timestamp)} old</span>}
      </div>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0">
          {online !== 'offline' && <ReadError message={error} hasData={candles !== null} />}
          {candles === null && (error === null || online === 'offline')
            ? <ChartPlace what={`Candles of ${symbol}`} className="h-[404px] w-full" />
            : <TimeChart label={`Candles of ${symbol}, ${interval}`} candles={candles ?? []} marks={marks} height={360} unit={market.data?.source.quote ?? ''} empty="No closed candles yet."
              controls={<span role="group" aria-label="Interval" className="-ml-2 flex">{INTERVALS.map((name) => <button key={name} type="button" aria-pressed={interval === name} onClick={() => { setCandleInterval(name); }} className={classes('min-h-11 min-w-10 rounded-sm px-2 text-xs pointer-fine:min-h-8', interval === name ? 'font-semibold text-accent' : 'text-ink-3 hover:text-ink')}>{name}</button>)}</span>} />}
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <Section title="Today">
            <dl>
              <Line term="Bid">{formatPrice(quote?.bid)}</Line>
              <Line term="Ask">{formatPrice(quote?.ask)}</Line>
              <Line term="High, 24 h">{formatPrice(quote?.high_24h)}</Line>
              <Line term="Low, 24 h">{formatPrice(quote?.low_24h)}</Line>
              <Line term="Volume, 24 h">{formatQuantity(quote?.volume_24h)} {symbol.split('/')[0]}</Line>
            </dl>
          </Section>
          <Section title="Your positions">
            {portfolio === null ? <SkeletonRows rows={1} label="Your positions" /> : positions.length === 0 ? <p className="rule row flex items-center text-ink-3">None in this pair.</p> : <Positions portfolio={{ positions, quote: portfolio.quote }} />}
          </Section>
          <p className="text-xs text-ink-3">▲ entries and ▼ exits are your agents’. Charts by <a href="https://www.tradingview.com/" rel="noreferrer" className="underline underline-offset-2">TradingView</a> Lightweight Charts.</p>
        </div>
      </div>
    </>
  );
}
