/** A demo of stopping an agent offline: an example agent, a network switch and a Stop. */
import { CircleStop, Undo2, WifiOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { CommandState } from '../../components/CommandState.tsx';
import { Amount } from '../../components/Figures.tsx';
import { Sparkline } from '../../components/Sparkline.tsx';
import { Switch } from '../../components/Switch.tsx';
import { PaperTag, StatusBadge } from '../../components/Tags.tsx';
import { offlineText } from '../../shell/offline-text.ts';
import { commandText, statusText, untilThen } from '../../stores/agent-view.ts';
import { undoStopText } from '../agents/start-stop/undo-stop-text.ts';
import { afterNetwork, pressed, SEND_MS, type Demo } from './demo-steps.ts';

/** Uses the functions that word a real agent's state. */
function wordsOf(
  at: Demo,
  online: boolean,
): { status: string; command: string | null; phase: 'saved' | 'sending' } {
  const status = statusText(
    { status: at === 'stopped' ? 'stopped' : 'running', openPositions: 1, hold: null },
    online,
  );
  const state = at === 'sending' ? 'sending' : 'saved';
  const entry = { intent: 'stop', state, attempts: 0, reason: null, agentId: 'example' } as const;
  const command =
    at === 'saved' || at === 'sending'
      ? `${commandText(entry)}${untilThen(entry, [{ id: 'example', status: 'running' }])}`
      : null;
  return { status, command, phase: state };
}

/** What Undo would do at each moment. */
const UNDO_OF = { saved: 'unsent', sending: 'sent', stopped: 'stopped' } as const;

const LINE = [0, 6, 4, 11, 9, 15, 22, 18, 26, 24, 31, 28, 36, 33, 41.2];

/** The example's network and its Stop, which is answered after a while. */
function useDemo() {
  const [online, setOnline] = useState(true);
  const [leftAt, setLeftAt] = useState<number | null>(null);
  const [at, setAt] = useState<Demo>('running');
  useEffect(() => {
    if (at !== 'sending') return;
    const answer = setTimeout(() => {
      setAt('stopped');
    }, SEND_MS);
    return () => {
      clearTimeout(answer);
    };
  }, [at]);
  const turn = (isTunnel: boolean): void => {
    setOnline(!isTunnel);
    setLeftAt(isTunnel ? Date.now() : null);
    setAt((before) => afterNetwork(before, !isTunnel));
  };
  return { online, leftAt, at, setAt, turn };
}

function NetworkLine({ online, leftAt }: { online: boolean; leftAt: number | null }) {
  return (
    <div
      className={`flex min-h-10 items-center gap-2 rounded-t-lg border-b border-line px-4 text-xs ${online ? 'text-ink-3' : 'bg-amber-wash text-amber'}`}
    >
      {online ? (
        <span>Example prices</span>
      ) : (
        <>
          <WifiOff className="size-3.5 shrink-0" aria-hidden />
          <span>{offlineText(leftAt, false, leftAt ?? 0)}</span>
        </>
      )}
    </div>
  );
}

function ExampleAgent({ at, online, onStop }: { at: Demo; online: boolean; onStop: () => void }) {
  const { status, command, phase } = wordsOf(at, online);
  return (
    <div className="rule mt-3 grid min-h-28 grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 py-2">
      <div className="min-w-0">
        <p className="font-medium">Harbour</p>
        <div aria-live="polite">
          <StatusBadge
            tone={at === 'stopped' ? 'neutral' : 'good'}
            hollow={!online}
            className="text-xs"
          >
            {status}
          </StatusBadge>
          {command !== null && (
            <div>
              <CommandState phase={phase} className="text-xs">
                {command}
              </CommandState>
            </div>
          )}
        </div>
      </div>
      <span className="flex flex-col items-end">
        <Amount value="41.2" change />
        <Sparkline values={LINE} label="Example of a result over time" className="h-5! w-16!" />
      </span>
      <Button
        size="icon"
        tone="danger-quiet"
        aria-label={at === 'stopped' ? 'Stopped: Harbour' : 'Stop Harbour'}
        data-steady
        aria-disabled={at === 'running' ? undefined : true}
        onClick={onStop}
      >
        <CircleStop className="size-4.5" aria-hidden />
      </Button>
    </div>
  );
}

/** As in the app, the space for Undo is reserved, so that nothing moves when it appears. */
function UndoLine({ at, onUndo }: { at: Demo; onUndo: () => void }) {
  return (
    <div className="rule flex min-h-12 items-center justify-between gap-3">
      {at === 'running' ? (
        <p className="text-ink-3">One tap stops the agent.</p>
      ) : (
        <>
          <p className="min-w-0 flex-1">{undoStopText('Harbour', UNDO_OF[at])}</p>
          <Button size="sm" onClick={onUndo}>
            <Undo2 className="size-4" aria-hidden />
            Undo
          </Button>
        </>
      )}
    </div>
  );
}

export interface DemoState {
  at: Demo;
  online: boolean;
  /** When the network went, ms; null while it is there. */
  leftAt: number | null;
}

export interface DemoPresses {
  onStop: () => void;
  onUndo: () => void;
  onTunnel: (isTunnel: boolean) => void;
}

/** The example in one of its states; `data-demo` is where the built page's script finds it. */
export function DemoView({
  state: { at, online, leftAt },
  presses: { onStop, onUndo, onTunnel },
}: {
  state: DemoState;
  presses: DemoPresses;
}) {
  return (
    <figure
      data-demo
      className="m-0 min-w-0 rounded-lg border border-line bg-surface"
      aria-label="Try it: stop an agent in a tunnel"
    >
      <NetworkLine online={online} leftAt={leftAt} />
      <div className="px-4 pt-3 pb-1">
        <div className="flex flex-wrap items-start justify-between gap-x-3">
          <div>
            <p className="text-figure font-semibold tracking-[-0.02em]">
              <Amount value="10041.2" />
              <span className="ml-1.5 text-base font-normal tracking-normal text-ink-3">USDT</span>
            </p>
          </div>
          <PaperTag className="mt-2" />
        </div>
        <ExampleAgent at={at} online={online} onStop={onStop} />
        <UndoLine at={at} onUndo={onUndo} />
        <div className="rule">
          <Switch
            label="In a tunnel"
            checked={!online}
            onChange={onTunnel}
            hint="Turn this on, press Stop, then turn it off."
          />
        </div>
      </div>
      <figcaption className="border-t border-line px-4 py-2 text-xs text-ink-3">
        An example that runs on this page only. No account, no real result.
      </figcaption>
    </figure>
  );
}

export function TunnelDemo() {
  const { online, leftAt, at, setAt, turn } = useDemo();
  return (
    <DemoView
      state={{ at, online, leftAt }}
      presses={{
        onStop: () => {
          setAt(pressed(at, online));
        },
        onUndo: () => {
          setAt('running');
        },
        onTunnel: turn,
      }}
    />
  );
}
