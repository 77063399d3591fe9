/**
 * Connects an account at an exchange: choose it, create a key, see what was found, set limits, and
 * choose how starts are confirmed. What is pasted lives in this screen's memory alone.
 */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import type { LiveConnection } from '../../../../contract/live-state.ts';
import type { LiveExchange } from '../../../../contract/signer.ts';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { ScreenTitle, Section } from '../../../components/Section.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { connection as server } from '../../../stores/connection.ts';
import { applyConnection, takeNewConnection } from '../../../stores/live-store.ts';
import { loadMarket, marketStore } from '../../../stores/market-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { useHeldEntries } from '../../use-held-entries.ts';
import { useSlot } from '../../use-store.ts';
import { draftOf, type LimitsDraft } from '../limits-draft.ts';
import { nameOf } from '../live-text.ts';
import { useConnections } from '../use-live.ts';
import { useLeftSignal } from '../use-left-signal.ts';
import type { CheckedKey, PastedKey } from './checked-key.ts';
import { ConfirmationStep } from './ConfirmationStep.tsx';
import { ExchangeStep } from './ExchangeStep.tsx';
import { FoundStep } from './FoundStep.tsx';
import { KeyStep } from './KeyStep.tsx';
import { LimitsStep } from './LimitsStep.tsx';
import type { SentConnect } from './use-connect.ts';

type Step = 'exchange' | 'key' | 'found' | 'limits' | 'confirmation';
const STEPS: readonly Step[] = ['exchange', 'key', 'found', 'limits', 'confirmation'];

function Connected() {
  const list = (useConnections().data ?? []).filter(({ state }) => state !== 'ended');
  if (list.length === 0) return null;
  return (
    <Section title="Connected" className="mb-6 max-w-xl">
      <ul>
        {list.map((one) => (
          <li key={one.id} className="rule live-frame">
            <Link
              href={`/live/${encodeURIComponent(one.id)}`}
              className="flex min-h-11 items-center gap-3 py-2 hover:text-accent"
            >
              <LiveTag />
              <span className="font-medium">{exchangeName(one.exchange)}</span>
              <span className="truncate text-ink-3">{one.label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Real money is never traded by made or recorded prices. */
function useMadePrices(): string | null {
  const source = useSlot(marketStore, loadMarket).data?.source;
  return source === undefined || source.kind === 'exchange' ? null : source.label;
}

function Blocked({ made }: { made: string | null }) {
  const { online } = useSnapshot(server);
  if (online === 'offline')
    return (
      <p role="status" className="mb-5 border-l-2 border-amber py-1 pl-3 text-amber">
        You need a connection to connect an exchange.
      </p>
    );
  if (made === null) return null;
  return (
    <p role="status" className="mb-5 border-l-2 border-amber py-1 pl-3 text-amber">
      This server shows {made}. Live trading needs prices of an exchange, so nothing can be
      connected here.
    </p>
  );
}

/** What the steps hand on. It is lost when the screen is left, the pasted key above all. */
function useConnecting() {
  const [step, setStep] = useState<Step>('exchange');
  const [exchange, setExchange] = useState<LiveExchange>('kraken');
  const [key, setKey] = useState<PastedKey | null>(null);
  const [checked, setChecked] = useState<CheckedKey | null>(null);
  const [label, setLabel] = useState('');
  const [limits, setLimits] = useState<{ of: LiveExchange; draft: LimitsDraft } | null>(null);
  const [sent, keepSent] = useState<SentConnect | null>(null);
  useHeldEntries(key !== null || label !== '');
  return {
    ...{ step, exchange, key, checked, label, limits: limits?.draft ?? null, sent },
    ...{ setStep, setLabel, keepSent, choose: setExchange },
    setLimits: (draft: LimitsDraft): void => {
      setLimits({ of: exchange, draft });
    },
    found: (pasted: PastedKey, reply: CheckedKey): void => {
      // A key that is not taken is of no more use.
      setKey(reply.report.accepted ? pasted : null);
      setChecked(reply);
      // A key that is pasted again is no reason to raise limits that were lowered.
      setLimits((before) =>
        before?.of === exchange ? before : { of: exchange, draft: draftOf(reply.firstWeek) },
      );
      setStep('found');
    },
    again: (): void => {
      setKey(null);
      setChecked(null);
      setStep('key');
    },
    forgetKey: (): void => {
      setKey(null);
    },
  };
}

function Steps({ onConnected }: { onConnected: (connection: LiveConnection) => void }) {
  const at = useConnecting();
  const { step, exchange, key, checked, limits } = at;
  const title = `${STEPS.indexOf(step) + 1} of ${STEPS.length}`;
  if (step === 'exchange')
    return (
      <ExchangeStep
        title={title}
        exchange={exchange}
        onChoose={at.choose}
        onNext={() => {
          at.setStep('key');
        }}
      />
    );
  if (step === 'key' || checked === null || limits === null)
    return (
      <KeyStep
        key={exchange}
        title={title}
        exchange={exchange}
        onChecked={at.found}
        onBack={() => {
          at.setStep('exchange');
        }}
      />
    );
  if (step === 'found' || key === null)
    return (
      <FoundStep
        title={title}
        exchange={exchange}
        checked={checked}
        onAgain={at.again}
        onNext={() => {
          at.setStep('limits');
        }}
      />
    );
  if (step === 'limits')
    return (
      <LimitsStep
        title={title}
        {...{ label: at.label, limits, firstWeek: checked.firstWeek }}
        onLabel={at.setLabel}
        onLimits={at.setLimits}
        onNext={() => {
          at.setStep('confirmation');
        }}
      />
    );
  return (
    <ConfirmationStep
      title={title}
      sent={at.sent}
      keepSent={at.keepSent}
      wanted={{ exchange, key, label: at.label.trim(), limits, firstWeek: checked.firstWeek }}
      onRefused={at.again}
      onConnected={(connection) => {
        at.forgetKey();
        onConnected(connection);
      }}
    />
  );
}

export default function ConnectScreen() {
  const made = useMadePrices();
  const leftSignal = useLeftSignal();
  return (
    <>
      <ScreenTitle
        title="Connect an exchange"
        note="Agents can then trade your own account. Paper stays the default, and nothing trades until you start an agent and confirm it."
      />
      <Blocked made={made} />
      <Connected />
      {/* Nobody creates a key for a server that cannot use it. */}
      {made === null && (
        <div className="max-w-xl">
          <Steps
            onConnected={(connection) => {
              // Whoever has gone on elsewhere is not taken from there, nor their account changed.
              if (leftSignal().aborted) {
                applyConnection(connection);
                pageToast('success', `${nameOf(connection)} is connected.`);
                return;
              }
              void takeNewConnection(connection);
              navigate(`/live/${encodeURIComponent(connection.id)}`);
            }}
          />
        </div>
      )}
    </>
  );
}
