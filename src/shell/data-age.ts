/** When what is on the screen was last known to be true; refuses to count a snapshot as news. */
import { useSnapshot } from 'valtio';
import { connection } from '../stores/connection.ts';
import { marketStore } from '../stores/market.ts';
import { portfolioStore } from '../stores/portfolio.ts';

/**
 * Device clock (ms). While the stream is open every change would have been told, so its last word vouches for all;
 * otherwise it is the portfolio's own moment.
 */
export function trueAt(parts: { stream: string; verifiedAt: number | null; portfolioAt: number | null; marketAt: number | null; portfolioIsWord: boolean }): number | null {
  const streaming = parts.stream === 'open' || parts.stream === 'shared';
  if (streaming && parts.portfolioIsWord) return Math.max(parts.verifiedAt ?? 0, parts.portfolioAt ?? 0, parts.marketAt ?? 0) || null;
  return parts.portfolioAt ?? parts.marketAt;
}

export function useDataTime(): number | null {
  const { stream, verifiedAt } = useSnapshot(connection);
  const portfolio = useSnapshot(portfolioStore);
  const market = useSnapshot(marketStore);
  return trueAt({
    stream, verifiedAt, portfolioAt: portfolio.savedAt, marketAt: market.savedAt,
    portfolioIsWord: portfolio.origin === 'network' || portfolio.origin === 'stream',
  });
}
