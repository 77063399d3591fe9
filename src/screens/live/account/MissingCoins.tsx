/** Coins that agents hold and the account has not: how much, by agent, and how to write them off. */
import { useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { LiveAccount, MissingCoinsWire } from '../../../../contract/live.ts';
import { api } from '../../../api/api.ts';
import { ApiError } from '../../../api/api-error.ts';
import { Button } from '../../../components/Button.tsx';
import { CommandState } from '../../../components/CommandState.tsx';
import { LazyDialog } from '../../../components/LazyDialog.tsx';
import { LiveFigure, LiveFrame } from '../../../components/LiveMark.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { failureSentence } from '../../../format/failure-sentence.ts';
import { samePerson } from '../../../identity/session.ts';
import { connection as server } from '../../../stores/connection.ts';
import { loadLiveAccount } from '../../../stores/live-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { AccountAge } from '../AccountAge.tsx';
import { nameOf } from '../live-text.ts';
import { useAccountCurrent } from '../use-live.ts';
import { amountText, missingText, writeOffSentence, type Holder } from './missing-text.ts';

/** `taken`: the server has done it, and the account has not been read since. */
type Asked = 'no' | 'asking' | 'taken' | 'unanswered';

/**
 * One write-off. Without an answer neither is claimed, and it is asked for again under the same id:
 * the server does it once.
 */
function useWriteOff(holder: Holder, asset: string, accountId: string) {
  const [asked, setAsked] = useState<Asked>('no');
  const commandId = useRef<string | null>(null);
  const { positionId, agentName, most, held } = holder;
  const writeOff = async (): Promise<void> => {
    const isHere = samePerson();
    setAsked('asking');
    commandId.current ??= crypto.randomUUID();
    try {
      await api.call('writeOffPosition', {
        params: { id: positionId },
        body: { quantity: most, held },
        commandId: commandId.current,
      });
      commandId.current = null;
      if (isHere()) pageToast('success', `${agentName} gave up ${amountText(most, asset)}.`);
      setAsked('taken');
    } catch (error) {
      const isOpen = error instanceof ApiError && error.mayHaveArrived;
      if (!isOpen) commandId.current = null;
      setAsked(isOpen ? 'unanswered' : 'no');
      const sentence = await failureSentence(error);
      if (!isOpen && isHere()) pageToast('error', sentence);
    }
    await loadLiveAccount(accountId, true);
  };
  return { asked, writeOff };
}

interface HolderProps {
  holder: Holder;
  asset: string;
  account: LiveAccount;
}

function WriteOffDialog({
  holder,
  asset,
  account,
  asked,
  open,
  onOpenChange,
  onConfirm,
}: HolderProps & {
  asked: Asked;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
}) {
  const { online } = useSnapshot(server);
  const exchange = nameOf(account.connection);
  return (
    <LazyDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Write off ${amountText(holder.most, asset)}`}
      description={
        <>
          <LiveTag where={exchange} className="mr-2" />
          {writeOffSentence(holder, asset)}
        </>
      }
      actions={
        <>
          <Button
            onClick={() => {
              onOpenChange(false);
            }}
          >
            Cancel
          </Button>
          <Button
            tone="danger"
            disabled={online === 'offline'}
            onClick={() => {
              onOpenChange(false);
              onConfirm();
            }}
          >
            Write off
          </Button>
        </>
      }
    >
      <LiveFrame>
        <p className="text-ink-2">
          What you got for the coins at {exchange} is yours. This cannot be undone: to hold them
          again, the agent has to buy them.
        </p>
        {online === 'offline' && (
          <p role="status" className="mt-2 text-amber">
            You need a connection to write coins off.{' '}
            {asked === 'unanswered'
              ? 'They may have been written off already.'
              : 'Nothing was changed.'}
          </p>
        )}
      </LiveFrame>
    </LazyDialog>
  );
}

/** The button, or why there is none. */
function Act({
  holder: { most },
  asset,
  asked,
  onPress,
}: Pick<HolderProps, 'holder' | 'asset'> & { asked: Asked; onPress: () => void }) {
  const { online } = useSnapshot(server);
  const amount = amountText(most, asset);
  if (asked === 'taken')
    return (
      <span className="text-xs text-ink-2">
        {amount} given up. The account has not been read since.
      </span>
    );
  if (Number(most) === 0)
    return (
      <span className="text-xs text-ink-2">
        An order may still sell them. You can write them off when it has ended.
      </span>
    );
  return (
    <Button
      size="sm"
      tone="danger-quiet"
      busy={asked === 'asking'}
      disabled={online === 'offline'}
      onClick={onPress}
    >
      Write off {amount}
    </Button>
  );
}

function AskedState({ asked }: { asked: Asked }) {
  return (
    <div role="status" className="w-full empty:hidden">
      {asked === 'asking' && (
        <CommandState phase="sending" className="text-xs">
          Asking the server to write them off.
        </CommandState>
      )}
      {asked === 'unanswered' && (
        <CommandState phase="needs-you" className="text-xs">
          The server did not answer. They may have been written off. Asking again is safe: it is
          done once.
        </CommandState>
      )}
    </div>
  );
}

function HolderRow({ holder, asset, account }: HolderProps) {
  const [open, setOpen] = useState(false);
  const { asked, writeOff } = useWriteOff(holder, asset, account.connection.id);
  const current = useAccountCurrent(account.connection.id);
  return (
    <li className="rule flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2">
      <span className="min-w-0">
        <Link
          href={`/agents/${encodeURIComponent(holder.agentId)}`}
          className="underline underline-offset-2 hover:text-ink"
        >
          {holder.agentName}
        </Link>{' '}
        {current ? 'holds' : 'held'} <LiveFigure>{amountText(holder.held, asset)}</LiveFigure>{' '}
        <span className="text-xs text-ink-3">{holder.symbol}</span>
      </span>
      <Act
        {...{ holder, asset, asked }}
        onPress={() => {
          setOpen(true);
        }}
      />
      <AskedState asked={asked} />
      <WriteOffDialog
        {...{ holder, asset, account, asked, open }}
        onOpenChange={setOpen}
        onConfirm={() => {
          void writeOff();
        }}
      />
    </li>
  );
}

function Coin({ coin, account }: { coin: MissingCoinsWire; account: LiveAccount }) {
  const { asset, amount, holders } = coin;
  const { connection } = account;
  const current = useAccountCurrent(connection.id);
  const { what, safe, you } = missingText(coin, nameOf(connection), current);
  return (
    <li className="live-frame py-2" data-missing={asset}>
      <h3 className="flex flex-wrap items-baseline gap-x-3 font-medium">
        <span>
          <LiveFigure>{amountText(amount, asset)}</LiveFigure> missing
        </span>
        <AccountAge id={connection.id} />
      </h3>
      <p className="text-ink-2">
        {what} {safe} {you}
      </p>
      <ul className="mt-2">
        {holders.map((holder) => (
          // Other figures are another question: neither the dialog nor what was asked goes on.
          <HolderRow
            key={`${holder.positionId} ${holder.held} ${holder.most}`}
            {...{ holder, asset, account }}
          />
        ))}
      </ul>
    </li>
  );
}

/** What is missing in an account whose coins agents still trade. */
export const missingOf = ({ connection, missing = [] }: LiveAccount): MissingCoinsWire[] =>
  connection.state === 'open' ? missing : [];

export function MissingCoins({ account }: { account: LiveAccount }) {
  const { online } = useSnapshot(server);
  const coins = missingOf(account);
  if (coins.length === 0) return null;
  return (
    <>
      <ul>
        {coins.map((coin) => (
          <Coin key={coin.asset} coin={coin} account={account} />
        ))}
      </ul>
      {online === 'offline' && (
        <p className="text-xs text-amber">You need a connection to write coins off.</p>
      )}
    </>
  );
}
