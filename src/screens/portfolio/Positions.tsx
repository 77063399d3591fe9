/** Open positions, each with its equation and a way to close it; refuses to close by a tap. */
import { useState } from 'react';
import { Link } from 'wouter';
import type { Fill, Portfolio, Position } from '../../../contract/trading.ts';
import { add, formatFixed, multiply, parseFixed, subtract, toNumber, ZERO } from '../../../contract/money.ts';
import { api } from '../../api/api.ts';
import { stopAgent } from '../../commands.ts';
import { CommandState } from '../../components/CommandState.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Amount, Percent, Price } from '../../components/Figures.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line } from '../../components/Section.tsx';
import { formatAmount, formatPrice, formatQuantity, formatShare } from '../../format/numbers.ts';
import { historyStore, loadHistory } from '../../stores/history.ts';
import { loadPortfolio } from '../../stores/portfolio.ts';
import { useSnapshot } from 'valtio';
import { connection } from '../../stores/connection.ts';
import { act, tried } from '../act.ts';
import { stopSentence } from '../agents/AgentActs.tsx';
import { useAgentViews } from '../reading.ts';

/** Unrealised gain in percent of its cost, for display. */
export function gainPercent(position: Pick<Position, 'unrealized' | 'cost'>): number | null {
  const cost = toNumber(parseFixed(position.cost));
  return position.unrealized === null || cost === 0 ? null : (toNumber(parseFixed(position.unrealized)) / cost) * 100;
}

/** Share of equity, as a share; null where either is not known. */
export function shareOf(position: Pick<Position, 'value'>, equity: string | undefined): number | null {
  const whole = equity === undefined ? 0 : toNumber(parseFixed(equity));
  return position.value === null || whole <= 0 ? null : toNumber(parseFixed(position.value)) / whole;
}

/** The buys that made the cost, oldest first, only where they add up to it to the last digit: after a part was sold they do not. */
export function buysBehind(position: Pick<Position, 'agentId' | 'pair' | 'openedAt' | 'cost'>, fills: readonly Fill[]): Fill[] | null {
  const mine = fills.filter((fill) => fill.agentId === position.agentId && fill.pair === position.pair && fill.filledAt >= position.openedAt).reverse();
  const sum = mine.reduce((total, fill) => add(total, add(parseFixed(fill.notional), parseFixed(fill.fee))), ZERO);
  return mine.length > 0 && mine.every((fill) => fill.side === 'buy') && sum === parseFixed(position.cost) ? mine : null;
}

/** The agent behind a position: its state, and Stop while it runs. */
function ItsAgent({ position }: { position: Pick<Position, 'agentId' | 'agentName'> }) {
  const view = useAgentViews().views?.find(({ agent }) => agent.id === position.agentId);
  return (
    <>
      <dl><Line term="Agent"><Link href={`/agents/${encodeURIComponent(position.agentId)}`} className="text-accent underline underline-offset-2">{position.agentName}</Link>{view === undefined ? '' : `, ${view.statusText.toLowerCase()}`}</Line></dl>
      {view !== undefined && view.entry !== null && view.commandText !== null && <div className="py-1.5"><CommandState phase={view.entry.state}>{view.commandText}</CommandState></div>}
      {view?.canStop === true && <div className="mt-3"><HoldToConfirm label={`Stop ${position.agentName}`} sentence={stopSentence(view)} wide onConfirm={() => { act(stopAgent(view.agent)); }} /></div>}
    </>
  );
}

function Explained({ position, quote, equity, onDone }: { position: Position; quote: string; equity: string | undefined; onDone: () => void }) {
  const fills = useSnapshot(historyStore).data?.fills;
  const buys = buysBehind(position, fills ?? []);
  const { online } = useSnapshot(connection);
  const [busy, setBusy] = useState(false);
  const worst = position.stopPrice === null ? null : formatFixed(subtract(multiply(parseFixed(position.stopPrice), parseFixed(position.quantity), 'down'), parseFixed(position.cost)));
  const close = async (): Promise<void> => {
    setBusy(true);
    if (await tried(api.call('closePosition', { params: { id: position.id } }), `${position.pair} sold.`)) {
      await Promise.all([loadPortfolio(true), loadHistory(true)]);
      onDone();
    }
    setBusy(false);
  };
  const sentence = `Sells ${formatQuantity(position.quantity)} ${position.pair.split('/')[0] ?? ''}, about ${formatAmount(position.value)} ${quote} at the bid, less the fee.`;
  return (
    <>
      <dl aria-label="Value">
        <Line term="Quantity">{formatQuantity(position.quantity)}</Line>
        <Line term={<>× Bid now</>}>{formatPrice(position.price)}</Line>
        <Line term={<strong className="text-ink">= Value</strong>}><strong><Amount value={position.value} quote={quote} why="No price seen yet" /></strong></Line>
      </dl>
      <dl aria-label="Cost" className="mt-4">
        {buys?.map((fill) => <Line key={fill.id} term={`Bought ${formatQuantity(fill.quantity)} at ${formatPrice(fill.price)}, fee ${formatPrice(fill.fee)}`}><Amount value={formatFixed(add(parseFixed(fill.notional), parseFixed(fill.fee)))} /></Line>)}
        {buys === null && <Line term="Average cost of one, fees of entry included">{formatPrice(position.averageCost)}</Line>}
        <Line term={<strong className="text-ink">{buys === null ? 'Cost' : '= Cost'}</strong>}><strong><Amount value={position.cost} quote={quote} /></strong></Line>
      </dl>
      <dl aria-label="Result" className="mt-4">
        <Line term="Value"><Amount value={position.value} why="No price seen yet" /></Line>
        <Line term="− Cost"><Amount value={position.cost} /></Line>
        <Line term={<strong className="text-ink">= Unrealised</strong>}><strong><Amount value={position.unrealized} change quote={quote} why="No price seen yet" /></strong> <Percent value={gainPercent(position)} why="No price seen yet" /></Line>
      </dl>
      <dl className="mt-4">
        <Line term="Stop">{formatPrice(position.stopPrice)}</Line>
        <Line term="If the stop fills at its price, before the fee"><Amount value={worst} change why="No stop set" /></Line>
        {equity !== undefined && <Line term="Share of equity">{formatShare(shareOf(position, equity), { signed: false, decimals: 1 })}</Line>}
      </dl>
      <ItsAgent position={position} />
      <div className="mt-4">
        <p className="mb-2 text-ink-2">{online === 'offline' ? 'Closing needs the server; it cannot wait on this device. You can stop the agent now.' : sentence}</p>
        <HoldToConfirm label="Close position" sentence={sentence} tone="danger" wide disabled={busy || online === 'offline'} onConfirm={() => { void close(); }} />
      </div>
    </>
  );
}

export function Positions({ portfolio }: { portfolio: Pick<Portfolio, 'positions' | 'quote'> & { equity?: string } }) {
  const [openId, setOpenId] = useState<string | null>(null);
  const open = portfolio.positions.find((position) => position.id === openId);
  return (
    <>
      <ul>
        {portfolio.positions.map((position) => (
          <li key={position.id} className="rule">
            <button type="button" onClick={() => { setOpenId(position.id); }} title="Explain this position" className="row grid w-full grid-cols-[minmax(0,1fr)_auto_5.5rem] items-center gap-x-4 py-1.5 text-left hover:text-accent sm:grid-cols-[minmax(0,1fr)_6.5rem_6.5rem_4rem_6rem]">
              <span className="min-w-0"><span className="font-medium">{position.pair.split('/')[0]}</span> <span className="text-ink-2">{formatQuantity(position.quantity)}</span><span className="block truncate text-xs text-ink-3">{position.agentName} · stop {formatPrice(position.stopPrice)}</span></span>
              <span className="hidden text-right sm:block"><Amount value={position.cost} /><span className="block text-xs text-ink-3">cost</span></span>
              <span className="text-right"><Amount value={position.value} why="No price seen yet" /><span className="block text-xs text-ink-3 max-sm:hidden"><span className="mr-1.5">at</span><Price value={position.price} why="No price seen yet" /></span><span className="block text-xs text-ink-3 sm:hidden">cost <Amount value={position.cost} /></span></span>
              <span className="hidden text-right text-ink-2 sm:block">{portfolio.equity === undefined ? '' : formatShare(shareOf(position, portfolio.equity), { signed: false, decimals: 1 })}<span className="block text-xs text-ink-3">{portfolio.equity === undefined ? '' : 'of equity'}</span></span>
              <span className="text-right"><Percent value={gainPercent(position)} why="No price seen yet" /><span className="block text-xs"><Amount value={position.unrealized} change why="No price seen yet" /></span></span>
            </button>
          </li>
        ))}
      </ul>
      <Dialog open={open !== undefined} onOpenChange={(next) => { if (!next) setOpenId(null); }} title={open?.pair ?? 'Position'}>
        {open !== undefined && <Explained position={open} quote={portfolio.quote} equity={portfolio.equity} onDone={() => { setOpenId(null); }} />}
      </Dialog>
    </>
  );
}
