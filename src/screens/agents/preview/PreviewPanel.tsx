/** Previews what an agent would do now, pair by pair, as decided by the server. */
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { AgentPreview, AgentPreviewBody, PairPreview } from '../../../../contract/preview.ts';
import { Button } from '../../../components/Button.tsx';
import { classes } from '../../../components/class-names.ts';
import { Skeleton } from '../../../components/EmptyState.tsx';
import { Amount } from '../../../components/Figures.tsx';
import { SignalMeter } from '../../../components/SignalMeter.tsx';
import { formatAmount, formatPrice, formatQuantity } from '../../../format/numbers.ts';
import { formatWhen } from '../../../format/times.ts';
import { connection } from '../../../stores/connection.ts';
import { useMarketSpeed, useMarketState } from '../../use-store.ts';
import { inWeight, previewSentence, reasonOnly, usePreview } from './use-preview.ts';

const SHOWN = 5;

function verdict({ action, order }: PairPreview): string {
  if (order !== null)
    return `${order.side === 'buy' ? 'Buy' : 'Sell'} ${formatQuantity(order.quantity)} for ${formatAmount(order.notional)}`;
  return action === 'hold' ? 'Hold' : 'No trade';
}

function Pair({ one }: { one: PairPreview }) {
  const acts = one.order !== null;
  return (
    <li className="rule py-2">
      <div className="flex items-baseline justify-between gap-3">
        <span className="min-w-0">
          <span
            className={classes(
              'mr-2 inline-block min-w-11',
              acts ? 'font-semibold' : 'font-medium text-ink-2',
            )}
          >
            {one.pair.split('/')[0]}
          </span>
          <span className={acts ? 'font-medium' : 'text-ink-2'}>{verdict(one)}</span>
        </span>
        {one.atStop !== null && (
          <span className="shrink-0">
            <Amount value={one.atStop} change />
          </span>
        )}
      </div>
      <div className="mt-0.5 flex flex-wrap items-center justify-between gap-x-3 text-xs text-ink-3">
        <SignalMeter strength={one.strength} threshold={one.threshold} />
        {one.stopPrice !== null && <span>at stop {formatPrice(one.stopPrice)}</span>}
      </div>
      {!acts && one.reason !== 'weak_signal' && (
        <p className="mt-0.5 text-xs text-ink-2">{reasonOnly(one.text)}</p>
      )}
    </li>
  );
}

/**
 * The outline of an answer, at its full height: what comes, or goes again, moves nothing below it.
 * Drawn while the first answer is on its way, and out of sight under every answer.
 */
function Outline({ pairs, drawn }: { pairs: number; drawn: boolean }) {
  return (
    <div
      {...(drawn ? { role: 'status', 'aria-label': 'Loading preview' } : { 'aria-hidden': true })}
      className={classes('[grid-area:1/1]', !drawn && 'invisible')}
    >
      <div className="h-14 md:h-8">
        <Skeleton className="h-4 w-64 max-w-full" />
      </div>
      {Array.from({ length: Math.min(SHOWN, Math.max(1, pairs)) }, (_, index) => (
        // With a line for the reason.
        <div key={index} className="rule flex h-[75px] items-center justify-between">
          <Skeleton className="h-3.5 w-40" />
          <Skeleton className="h-3.5 w-14" />
        </div>
      ))}
      {pairs > SHOWN && <div className="h-11 pointer-fine:h-8" />}
      {/* The most that can be lost, and when this was decided. */}
      <div className="rule h-14 md:h-10" />
      <div className="h-12 md:h-8" />
    </div>
  );
}

function Head({ asking, onAgain }: { asking: boolean; onAgain: (() => void) | null }) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 pointer-fine:min-h-8">
      <h3 className="text-sm font-semibold">Preview</h3>
      {onAgain !== null && (
        <button
          type="button"
          disabled={asking}
          onClick={onAgain}
          className="-mr-2 flex min-h-11 items-center gap-1.5 rounded-md px-2 text-xs text-ink-3 hover:text-ink disabled:opacity-60 pointer-fine:min-h-8"
        >
          <RefreshCw aria-hidden className={classes('size-3.5', asking && 'spin')} />
          Refresh
        </button>
      )}
    </div>
  );
}

function Failed({ error, onAgain }: { error: string; onAgain: () => void }) {
  return (
    <p
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-3 border-l-2 border-amber py-1 pl-3 text-amber"
    >
      <span>Could not load the preview. {error}</span>
      <button
        type="button"
        onClick={onAgain}
        className="reach min-h-8 font-medium underline underline-offset-2"
      >
        Try again
      </button>
    </p>
  );
}

/** When this was decided, and when the agent checks next. */
function Timing({ preview, running }: { preview: AgentPreview; running: boolean }) {
  const { online } = useSnapshot(connection);
  const market = useMarketState();
  const speed = useMarketSpeed();
  return (
    <p className="text-xs text-ink-3">
      {online === 'offline' && 'Loaded before you went offline. '}Based on the candle closed{' '}
      {formatWhen(preview.close, preview.asOf)}, at prices of{' '}
      {formatWhen(preview.asOf, preview.asOf)} {speed === 1 ? '' : ' (market time)'}.{' '}
      {market === 'stopped'
        ? 'Prices have stopped. Checks resume with new prices.'
        : `${running ? 'Next check' : 'If started now, first check'} ${formatWhen(preview.nextLookAt, preview.asOf)}.`}{' '}
      Preview only. Nothing will be traded.
    </p>
  );
}

interface DecidedProps {
  preview: AgentPreview;
  asking: boolean;
  running: boolean;
  all: boolean;
  onAll: () => void;
}

function Decided({ preview, asking, running, all, onAll }: DecidedProps) {
  const list = inWeight(preview.pairs);
  const acting = list.filter(({ order }) => order !== null).length;
  const shown = all ? list : list.slice(0, SHOWN);
  return (
    <div className={classes('transition-opacity duration-100', asking && 'opacity-60')}>
      <p aria-live="polite" className="pb-2">
        {previewSentence(preview)}
      </p>
      <ul>
        {shown.map((one) => (
          <Pair key={one.pair} one={one} />
        ))}
      </ul>
      {list.length > shown.length && (
        <Button size="sm" tone="plain" className="-ml-3" onClick={onAll}>
          Show all {list.length} pairs{acting > SHOWN ? `, ${acting} orders` : ''}
        </Button>
      )}
      {list.some(({ atStop }) => atStop !== null) && (
        <p className="rule flex items-baseline justify-between gap-3 py-2">
          <strong className="font-semibold">Maximum loss if all stops trigger, incl. fees</strong>
          <strong className="shrink-0 font-semibold">
            <Amount value={preview.atStop} change quote={preview.quote} />
          </strong>
        </p>
      )}
      <Timing preview={preview} running={running} />
    </div>
  );
}

interface WouldDoNowProps {
  ask: AgentPreviewBody | null;
  rows?: number;
  missing?: string;
  running?: boolean;
}

/**
 * `ask` null: the settings are not valid yet, and `missing` says why. `rows`: how many pairs to
 * expect. `running`: the agent is checking already.
 */
export default function PreviewPanel({
  ask,
  rows = 3,
  missing = 'Choose pairs first.',
  running = false,
}: WouldDoNowProps) {
  const offline = useSnapshot(connection).online === 'offline';
  const { preview, asking, error, again } = usePreview(ask);
  // Stays open for later previews.
  const [all, setAll] = useState(false);
  const unread = ask !== null && preview === null;
  return (
    <section aria-label="Preview" aria-busy={asking || undefined}>
      <Head asking={asking} onAgain={preview !== null && !offline ? again : null} />
      {ask === null && <p className="rule py-2 text-ink-3">{missing}</p>}
      {unread && offline && (
        <p role="status" className="rule py-2 text-ink-2">
          The preview uses live candles and your account. Available when you’re online.
        </p>
      )}
      {ask !== null && !(unread && offline) && (
        <div className="grid">
          <Outline pairs={rows} drawn={unread && error === null} />
          <div className="min-w-0 [grid-area:1/1]">
            {error !== null && <Failed error={error} onAgain={again} />}
            {preview !== null && (
              <Decided
                preview={preview}
                asking={asking}
                running={running}
                all={all}
                onAll={() => {
                  setAll(true);
                }}
              />
            )}
          </div>
        </div>
      )}
    </section>
  );
}
