/** Shows the sum behind a figure, and behind each of its rows. */
import { ChevronLeft } from 'lucide-react';
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../contract/agents.ts';
import type { Analytics, History, Portfolio } from '../../../contract/trading.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { LiveFrame } from '../../components/LiveMark.tsx';
import { LiveTag } from '../../components/LiveTag.tsx';
import { DataAge } from '../../shell/DataAge.tsx';
import { analyticsStore } from '../../stores/analytics-store.ts';
import { historyStore } from '../../stores/fills-store.ts';
import { portfolioStore } from '../../stores/portfolio-store.ts';
import { connectionOf } from '../../stores/shown-account.ts';
import { AccountAge } from '../live/AccountAge.tsx';
import { useAgentViews } from '../use-store.ts';
import { explain, type Ask, type Sources } from './explain-figure.ts';
import { follow, type Explanation } from './equation.ts';
import { Sum } from './Sum.tsx';

function Description({
  explanation: { words, isLive },
  connectionId,
}: {
  explanation: Explanation;
  connectionId: string | null;
}) {
  return (
    <>
      {words !== undefined && `${words}${/[.!?]$/.test(words) ? '' : '.'} `}
      {isLive === true ? (
        <>
          <LiveTag /> <span className="whitespace-nowrap">Real money.</span>{' '}
          {connectionId !== null && <AccountAge id={connectionId} />}
        </>
      ) : (
        <>
          <span className="whitespace-nowrap">Paper money.</span> <DataAge kind="portfolio" />
        </>
      )}
    </>
  );
}

function Facts({ facts }: { facts: NonNullable<Explanation['facts']> }) {
  return (
    <dl>
      {facts.map(({ label, text }) => (
        <div
          key={label}
          className="flex items-center justify-between gap-4 py-1 text-xs text-ink-3"
        >
          <dt>{label}</dt>
          <dd className="text-right whitespace-nowrap">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Computed at every render, so that all rows are of one moment. */
export default function ExplainDialog({ ask, onClose }: { ask: Ask; onClose: () => void }) {
  const [asked, setAsked] = useState<string[]>([]);
  const [exact, setExact] = useState(false);
  const every = useAgentViews().views?.map(({ agent }) => agent) ?? [];
  const sources = useSources(every);
  const first = explain(ask, sources);
  const { explanation, path } = follow(first, asked);
  const Frame = explanation.isLive === true ? LiveFrame : 'div';
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title={explanation.title}
      description={
        <Description explanation={explanation} connectionId={connectionOfAsk(ask, every)} />
      }
    >
      {path.length > 0 && (
        <button
          type="button"
          onClick={() => {
            setAsked(path.slice(0, -1));
          }}
          className="-ml-1 mb-2 flex min-h-11 items-center gap-0.5 pointer-fine:min-h-8 text-xs text-ink-2 hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Back
        </button>
      )}
      <Frame className="flex flex-col gap-5">
        {explanation.equations.map((one) => (
          <Sum
            key={one.name}
            equation={one}
            quote={explanation.quote}
            exact={exact}
            onOpen={(key) => {
              setAsked([...path, key]);
            }}
          />
        ))}
        {explanation.facts !== undefined && <Facts facts={explanation.facts} />}
      </Frame>
      <label className="mt-3 flex min-h-11 pointer-fine:min-h-8 w-fit items-center gap-2 text-xs text-ink-2">
        <input
          type="checkbox"
          checked={exact}
          onChange={(event) => {
            setExact(event.target.checked);
          }}
        />
        All digits
      </label>
    </Dialog>
  );
}

/** The exchange account that a sale was made in; null on paper, and where its agent is not known. */
function connectionOfAsk(ask: Ask, agents: readonly Agent[]): string | null {
  if (ask.of !== 'sale') return null;
  const agent = agents.find(({ id }) => id === ask.fill.agentId);
  return agent === undefined ? null : connectionOf(agent);
}

/** The newest data of the paper account, which may change while the dialog is open. */
function useSources(every: readonly Agent[]): Sources {
  return {
    portfolio: useSnapshot(portfolioStore).data as Portfolio | null,
    fills: (useSnapshot(historyStore).data as History | null)?.fills ?? [],
    analytics: useSnapshot(analyticsStore).data as Analytics | null,
    agents: every.filter((agent) => connectionOf(agent) === null),
  };
}
