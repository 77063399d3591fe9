/** Open positions, each opening into its sum and a way to close it; refuses to close by a tap. */
import { lazy, Suspense, useState } from 'react';
import type { Portfolio } from '../../../contract/trading.ts';
import { Amount, Percent, Price } from '../../components/Figures.tsx';
import { formatPrice, formatQuantity, formatShare } from '../../format/numbers.ts';
import { gainPercent, shareOf } from './position-figures.ts';

const PositionDialog = lazy(() => import('./PositionDialog.tsx'));

/** As wide as its place allows, whatever the window: a side column has the phone's two columns of figures. */
export function Positions({ portfolio, closed = false, showAgent = true }: { portfolio: Pick<Portfolio, 'positions' | 'quote'> & { equity?: string }; closed?: boolean; showAgent?: boolean }) {
  const [openId, setOpenId] = useState<string | null>(null);
  const open = portfolio.positions.find((position) => position.id === openId);
  return (
    <>
      <ul className="@container">
        {portfolio.positions.map((position) => (
          <li key={position.id} className="rule">
            <button type="button" onClick={() => { setOpenId(position.id); }} title="Explain this position" className="row grid w-full grid-cols-[minmax(0,1fr)_auto_5.5rem] items-center gap-x-4 py-1.5 text-left hover:text-accent @lg:grid-cols-[minmax(0,1fr)_6.5rem_6.5rem_4rem_6rem]">
              <span className="min-w-0"><span className="font-medium">{position.pair.split('/')[0]}</span> <span className="text-ink-2">{formatQuantity(position.quantity)}</span><span className="block truncate text-xs text-ink-3">{showAgent && `${position.agentName} · `}stop {formatPrice(position.stopPrice)}</span></span>
              <span className="hidden text-right @lg:block"><Amount value={position.cost} /><span className="block text-xs text-ink-3">cost</span></span>
              <span className="text-right"><Amount value={position.value} why="No price seen yet" /><span className="block text-xs text-ink-3 @max-lg:hidden"><span className="mr-1.5">at</span><Price value={position.price} why="No price seen yet" /></span><span className="block text-xs text-ink-3 @lg:hidden">cost <Amount value={position.cost} /></span></span>
              <span className="hidden text-right text-ink-2 @lg:block">{portfolio.equity === undefined ? '' : formatShare(shareOf(position, portfolio.equity), { signed: false, decimals: 1 })}<span className="block text-xs text-ink-3">{portfolio.equity === undefined ? '' : 'of equity'}</span></span>
              <span className="text-right"><Percent value={gainPercent(position)} why="No price seen yet" /><span className="block text-xs"><Amount value={position.unrealized} change why="No price seen yet" /></span></span>
            </button>
          </li>
        ))}
      </ul>
      {open !== undefined && <Suspense><PositionDialog key={open.id} position={open} quote={portfolio.quote} equity={portfolio.equity} closed={closed} onClose={() => { setOpenId(null); }} /></Suspense>}
    </>
  );
}
