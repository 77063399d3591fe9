/**
 * One account at an exchange: its state, what needs the person, money, positions, orders, and what
 * changed without Tradewind. Readable offline, with its age.
 */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { LiveAccount } from '../../../../contract/live.ts';
import type { LiveConnection } from '../../../../contract/live-state.ts';
import { classes } from '../../../components/class-names.ts';
import { LinkButton } from '../../../components/Button.tsx';
import { EmptyState, SkeletonRows } from '../../../components/EmptyState.tsx';
import { ScreenError } from '../../../components/ScreenError.tsx';
import { LiveFrame } from '../../../components/LiveMark.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { useNow } from '../../../components/use-now.ts';
import type { ScreenProps } from '../../../shell/routes.ts';
import { accountChoice } from '../../../stores/account-choice.ts';
import { connection as server } from '../../../stores/connection.ts';
import { loadLiveAccount } from '../../../stores/live-store.ts';
import type { Slot } from '../../../stores/slot.ts';
import { AccountAge } from '../AccountAge.tsx';
import { comparedText, connectionText, nameOf } from '../live-text.ts';
import { useAccountCurrent, useConnections, useLiveAccount, usePositions } from '../use-live.ts';
import { AccountAgents } from './AccountAgents.tsx';
import { AccountMoney } from './AccountMoney.tsx';
import { Alarms } from './Alarms.tsx';
import { Brakes } from './Brakes.tsx';
import { EndTrading } from './EndTrading.tsx';
import { External } from './External.tsx';
import { LivePositions } from './LivePositions.tsx';
import { OpenOrders, PastOrders } from './Orders.tsx';
import { KeySection, ReplaceKeyButton, ReplaceKeyDialog } from './ReplaceKey.tsx';

function Head({ connection, onReplace }: { connection: LiveConnection; onReplace: () => void }) {
  const now = useNow(1_000);
  const current = useAccountCurrent(connection.id);
  const positions = usePositions(connection.id);
  const { state, waitsFor, keyFaults = [] } = connection;
  const waits = state === 'open' && (waitsFor.length > 0 || keyFaults.length > 0);
  return (
    <div className="mb-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="text-xl break-words">{nameOf(connection)}</h1>
        <LiveTag where={nameOf(connection)} />
        <span className="text-ink-2">{connection.label}</span>
      </div>
      <p className={waits ? 'text-amber' : 'text-ink-2'}>
        {connectionText(connection, current, positions)}
      </p>
      {state === 'open' && keyFaults.length > 0 && (
        <div className="my-2 flex flex-col items-start gap-1">
          <ReplaceKeyButton onReplace={onReplace} />
        </div>
      )}
      <p className="flex flex-wrap gap-x-3 text-xs text-ink-3">
        <span>{comparedText(connection, now)}</span>
        <AccountAge id={connection.id} />
      </p>
    </div>
  );
}

/**
 * What is pressed stands above what grows: on one column, an order that ends would otherwise push
 * the limits away from under a finger.
 */
function Parts({ account, onReplace }: { account: LiveAccount; onReplace: () => void }) {
  const isOpen = account.connection.state === 'open';
  const column = 'flex min-w-0 flex-col gap-8';
  return (
    <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
      <div className={column}>
        <AccountMoney account={account} />
        <LivePositions account={account} />
        <OpenOrders account={account} certain />
        <AccountAgents account={account} />
      </div>
      {isOpen && (
        <div className={classes(column, 'lg:row-span-2')}>
          <Brakes key={account.connection.id} connection={account.connection} />
          <KeySection connection={account.connection} onReplace={onReplace} />
          <EndTrading account={account} />
        </div>
      )}
      <div className={classes(column, 'lg:col-start-1')}>
        <PastOrders account={account} />
        <External account={account} />
      </div>
    </div>
  );
}

/** Nothing is loaded: an account that is not there, or one that could not be read. */
function Absent({ slot, id }: { slot: Slot<LiveAccount>; id: string }) {
  const { online } = useSnapshot(server);
  const list = useConnections();
  const isGone =
    list.data !== null && list.origin !== 'snapshot' && !list.data.some((one) => one.id === id);
  if (isGone)
    return (
      <EmptyState
        screen
        title="Exchange account not found"
        action={<LinkButton to="/live/connect">Connect an exchange</LinkButton>}
      >
        It may have been removed.
      </EmptyState>
    );
  return (
    <>
      <h1 className="mb-3 text-xl">Exchange account</h1>
      <ScreenError
        message={slot.error}
        onRetry={() => {
          void loadLiveAccount(id, true);
        }}
      />
      {(slot.error === null || online === 'offline') && <SkeletonRows rows={8} label="Account" />}
    </>
  );
}

/** Also what the dashboard shows while this account is chosen. */
export function LiveOverview({ id }: { id: string }) {
  const slot = useLiveAccount(id);
  const [replacing, setReplacing] = useState(false);
  const { data } = slot;
  const onReplace = (): void => {
    setReplacing(true);
  };
  if (data === null) return <Absent slot={slot} id={id} />;
  return (
    <LiveFrame>
      <Head connection={data.connection} onReplace={onReplace} />
      <ScreenError
        message={slot.error}
        hasData
        onRetry={() => {
          void loadLiveAccount(id, true);
        }}
      />
      <Alarms account={data} />
      <Parts account={data} onReplace={onReplace} />
      <ReplaceKeyDialog connection={data.connection} open={replacing} onOpenChange={setReplacing} />
    </LiveFrame>
  );
}

/** The account that is chosen, where a screen of the paper account would stand. */
export function ChosenAccount() {
  const { chosen } = useSnapshot(accountChoice);
  return chosen === null ? null : <LiveOverview key={chosen} id={chosen} />;
}

function ToPaper() {
  return (
    <p className="mt-8 text-xs text-ink-3">
      Real money. It is never added to your paper account, which is on the{' '}
      <Link href="/dashboard" className="underline underline-offset-2 hover:text-ink">
        dashboard
      </Link>
      .
    </p>
  );
}

export default function LiveAccountScreen({ params }: ScreenProps) {
  const { chosen } = useSnapshot(accountChoice);
  return (
    <>
      <LiveOverview key={params.id} id={params.id ?? ''} />
      {chosen === null && <ToPaper />}
    </>
  );
}
