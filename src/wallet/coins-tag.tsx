/** Whether a chain's coins are real, said beside every amount of a wallet; refuses to look like the paper account's mark. */
import { baseSepolia } from 'wagmi/chains';

export function CoinsTag({ chainId }: { chainId: number }) {
  return chainId === baseSepolia.id
    ? <span title="Coins of a test network: worth nothing" className="inline-flex h-5 items-center rounded-sm border border-dashed border-line-strong px-1.5 text-[0.6875rem] font-semibold tracking-[0.04em] whitespace-nowrap text-ink-2">Test coins</span>
    : <span title="Real coins: what is sent is spent" className="inline-flex h-5 items-center rounded-sm bg-ink px-1.5 text-[0.6875rem] font-semibold tracking-[0.04em] whitespace-nowrap text-ground">Real coins</span>;
}
