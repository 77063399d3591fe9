/** Sends ETH: recipient, amount, fee, confirmation and progress. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { useAccount, useConfig } from 'wagmi';
import { base } from 'wagmi/chains';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { readDraft, useKeptDraft } from '../../screens/agents/create/kept-draft.ts';
import { costEther, heldEther, parseTypedEther, plainEther } from './ether.ts';
import { FailureNote } from '../FailureNote.tsx';
import { parseRecipient } from './recipient.ts';
import { ConnectFirst, CoinsTag, PanelLink } from '../PanelHead.tsx';
import { SendDialog, type Reviewed } from './SendDialog.tsx';
import { onSent, sendEther } from './send-ether.ts';
import { estimateSend, mostSendable, type SendTerms } from './send-fees.ts';
import { SendProgress } from './SendProgress.tsx';
import { earlierSend, isAsking, isOpen, stageOf, type Send } from './sends-store.ts';
import { useEtherBalance, useKnownChain, useNoNetwork, useSends } from '../use-wallet.ts';

const Draft = z.object({ to: z.string(), amount: z.string() });
type DraftSend = z.infer<typeof Draft>;
const NOTHING = { to: '', amount: '' };
const KEPT_AS = 'walletSend';
/** Fees move with every block, ms. */
const FEES_FRESH_MS = 15_000;
/** Typing rests this long before the chain is asked, ms. */
const PAUSE_MS = 350;

function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setRested(value);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [value]);
  return rested;
}

function useFees(terms: SendTerms | null, chainId: 8453 | 84532) {
  const config = useConfig();
  const key =
    terms === null
      ? ''
      : `${chainId}.${terms.from}.${terms.to}.${terms.wei}.${String(terms.isSmart)}`;
  const rested = useRested(key);
  return useQuery({
    queryKey: ['send-fees', key],
    enabled: terms !== null && rested === key,
    staleTime: FEES_FRESH_MS,
    refetchInterval: FEES_FRESH_MS,
    retry: false,
    queryFn: () => {
      if (terms === null) throw new Error('Nothing to estimate');
      return estimateSend(config.getClient({ chainId }), terms);
    },
  });
}

interface SenderProps {
  from: `0x${string}`;
  chain: { id: 8453 | 84532; name: string };
  isSmart: boolean;
}

/** What stands under the amount: what there is, and what the chain takes. */
function AmountHint({
  balanceWei,
  feeWei,
  isAsking,
  isSmart,
}: {
  balanceWei: bigint | undefined;
  feeWei: bigint | undefined;
  isAsking: boolean;
  isSmart: boolean;
}) {
  const balanceText =
    balanceWei === undefined ? 'Balance loading.' : `You have ${heldEther(balanceWei)} ETH.`;
  let feeText = '';
  if (feeWei !== undefined)
    feeText = `Network fee at most ${costEther(feeWei)} ETH${isSmart ? '; your wallet shows its own fee when it asks' : ''}.`;
  else if (isAsking) feeText = 'Estimating the network fee.';
  return (
    <>
      {balanceText} {feeText}
    </>
  );
}

/** What is typed, read against the balance and the fees of this moment. */
function useSendTerms(
  draft: DraftSend,
  { from, chain, isSmart }: SenderProps,
  balanceWei: bigint | undefined,
) {
  const recipient = parseRecipient(draft.to, from);
  const amount = parseTypedEther(draft.amount);
  const overdrawn = 'wei' in amount && balanceWei !== undefined && amount.wei > balanceWei;
  const fees = useFees(
    'to' in recipient && 'wei' in amount && !overdrawn
      ? { from, to: recipient.to, wei: amount.wei, isSmart }
      : null,
    chain.id,
  );
  const plain = useFees(
    balanceWei !== undefined && balanceWei > 0n
      ? { from, to: 'to' in recipient ? recipient.to : from, wei: 1n, isSmart }
      : null,
    chain.id,
  );
  const most =
    balanceWei === undefined || plain.data === undefined
      ? undefined
      : mostSendable(balanceWei, plain.data.feeWei);
  const short =
    'wei' in amount &&
    balanceWei !== undefined &&
    fees.data !== undefined &&
    amount.wei + fees.data.feeWei > balanceWei;
  return { recipient, amount, overdrawn, short, fees, plain, most };
}

type CheckedTerms = ReturnType<typeof useSendTerms>;

function amountErrorOf(
  { amount, overdrawn, short }: CheckedTerms,
  checked: boolean,
): string | undefined {
  if ('error' in amount) return checked ? amount.error : undefined;
  if (overdrawn) return 'More than your balance.';
  if (short) return 'The amount plus the network fee is more than your balance.';
  return undefined;
}

/** A send from the check of what was typed, by way of the last look, to the wallet. */
function useReviewedSend(
  { recipient, amount, overdrawn, short, fees }: CheckedTerms,
  balanceWei: bigint | undefined,
  deliver: (order: Reviewed, onStopped: () => void) => Promise<unknown>,
) {
  const [checked, setChecked] = useState(false);
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState<string | null>(null);
  /** An answer that comes after the person stopped waiting says nothing over their next send. */
  const turn = useRef(0);
  const review = async (): Promise<void> => {
    turn.current += 1;
    setChecked(true);
    setFailure(null);
    if ('error' in recipient || 'error' in amount || overdrawn || short) return;
    setBusy('Estimating the fee');
    const data = fees.data ?? (await fees.refetch()).data;
    setBusy(null);
    if (data === undefined || (balanceWei !== undefined && amount.wei + data.feeWei > balanceWei))
      return;
    setReviewed({
      to: recipient.to,
      isOwn: recipient.isOwn,
      wei: amount.wei,
      fees: data,
      balanceWei: balanceWei ?? null,
    });
  };
  const send = (order: Reviewed): void => {
    const own = turn.current;
    const isCurrent = (): boolean => own === turn.current;
    const free = (): void => {
      if (isCurrent()) setBusy(null);
    };
    setReviewed(null);
    setBusy('Waiting for your wallet');
    deliver(order, free)
      .then(
        () => {
          if (isCurrent()) setChecked(false);
        },
        (error: unknown) => {
          if (isCurrent()) setFailure(error);
        },
      )
      .finally(free);
  };
  const close = (): void => {
    setReviewed(null);
  };
  return { checked, reviewed, failure, busy, review, send, close };
}

function RecipientField({
  to,
  recipient,
  checked,
  onTo,
}: {
  to: string;
  recipient: CheckedTerms['recipient'];
  checked: boolean;
  onTo: (to: string) => void;
}) {
  const error =
    'error' in recipient && (checked || (to !== '' && to.length >= 42))
      ? recipient.error
      : undefined;
  return (
    <Field
      label="To"
      hint="A Base address: 0x and 40 characters."
      error={error}
      value={to}
      autoComplete="off"
      spellCheck={false}
      autoCapitalize="none"
      className="font-mono text-sm"
      onChange={(event) => {
        onTo(event.target.value);
      }}
    />
  );
}

function AmountField({
  draft,
  terms,
  balanceWei,
  isSmart,
  checked,
  onAmount,
}: {
  draft: DraftSend;
  terms: CheckedTerms;
  balanceWei: bigint | undefined;
  isSmart: boolean;
  checked: boolean;
  onAmount: (amount: string) => void;
}) {
  const { fees, plain, most } = terms;
  return (
    <div>
      <Field
        label="Amount"
        unit="ETH"
        inputMode="decimal"
        autoComplete="off"
        error={amountErrorOf(terms, checked)}
        value={draft.amount}
        hint={
          <AmountHint
            balanceWei={balanceWei}
            feeWei={fees.data?.feeWei ?? plain.data?.feeWei}
            isAsking={fees.isFetching || plain.isFetching}
            isSmart={isSmart}
          />
        }
        onChange={(event) => {
          onAmount(event.target.value);
        }}
      />
      <Button
        size="sm"
        className="mt-2"
        disabled={most === undefined || most === null}
        onClick={() => {
          if (most !== undefined && most !== null) onAmount(plainEther(most));
        }}
      >
        Maximum
      </Button>
    </div>
  );
}

function ReviewButton({
  busy,
  isWaiting,
  noNetwork,
}: {
  busy: string | null;
  /** The wallet is being asked for a transfer, perhaps by a form that was left since. */
  isWaiting: boolean;
  noNetwork: boolean;
}) {
  const label = busy ?? (isWaiting ? 'Waiting for your wallet' : null);
  return (
    <>
      {isWaiting && (
        <p role="status" className="text-amber">
          Your wallet is still asking about a transfer. Answer it there, or press Stop waiting,
          before you review the next one.
        </p>
      )}
      {noNetwork && (
        <p role="status" className="text-amber">
          You are offline. Your entries stay here, and you can send when you are back online.
        </p>
      )}
      <div>
        <Button type="submit" tone="primary" busy={label !== null} disabled={noNetwork}>
          {label ?? 'Review'}
        </Button>
      </div>
    </>
  );
}

/** The newest send, and every other that is not settled. */
function NewestSends({ sends }: { sends: readonly Send[] }) {
  const shown = sends.filter(
    (send, index) => index === 0 || isOpen(send) || stageOf(send) === 'asking',
  );
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="newest-sends">
      <h3 id="newest-sends" className="text-sm font-semibold">
        {shown.length === 1 ? 'Latest transfer' : 'Latest and pending transfers'}
      </h3>
      {shown.map((send, index) => (
        <SendProgress key={send.id} send={send} isLive={index === 0} />
      ))}
    </section>
  );
}

/** What is sent of an order that was looked over. */
const sendOf = ({ from, chain, isSmart }: SenderProps, uid: string, order: Reviewed) => ({
  uid,
  chainId: chain.id,
  from,
  to: order.to,
  wei: order.wei,
  isSmart,
  fees: order.fees,
});

/** Whether these entries are this send, and not those of the next one. */
const isOf = (
  { to, amount }: DraftSend,
  from: `0x${string}`,
  sent: Pick<Reviewed, 'to' | 'wei'>,
): boolean => {
  const [recipient, ether] = [parseRecipient(to, from), parseTypedEther(amount)];
  return 'to' in recipient && recipient.to === sent.to && 'wei' in ether && ether.wei === sent.wei;
};

/**
 * The entries; what is typed while the wallet asks is the next send's, and stays. The form that
 * began a send may be gone when it ends, and another on screen with the same entries.
 */
function useSendDraft(from: `0x${string}`, uid: string, readBalance: () => unknown) {
  const [draft, keep] = useKeptDraft(KEPT_AS, Draft, NOTHING);
  const latest = useRef(draft);
  const type = (next: DraftSend): void => {
    latest.current = next;
    keep(next);
  };
  useEffect(() =>
    onSent((sent) => {
      if (sent.uid !== uid) return;
      readBalance();
      if (!isOf(readDraft(KEPT_AS, Draft) ?? latest.current, from, sent)) return;
      latest.current = NOTHING;
      keep(null);
    }),
  );
  return { draft, type };
}

function Sender(sender: SenderProps) {
  const { chain, isSmart } = sender;
  const { sends, uid, config } = useSends();
  const balance = useEtherBalance();
  const { draft, type } = useSendDraft(sender.from, uid, balance.refetch);
  const noNetwork = useNoNetwork();
  const isWaiting = isAsking(sends);
  const balanceWei = balance.data?.value;

  const terms = useSendTerms(draft, sender, balanceWei);
  const { checked, reviewed, failure, busy, review, send, close } = useReviewedSend(
    terms,
    balanceWei,
    (order, onStopped) => sendEther(config, sendOf(sender, uid, order), onStopped),
  );
  return (
    <div className="grid gap-x-14 gap-y-6 lg:grid-cols-2">
      <form
        noValidate
        className="flex max-w-xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (busy === null && !isWaiting) void review();
        }}
      >
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          From your wallet on {chain.name} <CoinsTag real={chain.id === base.id} />
        </p>
        <RecipientField
          to={draft.to}
          recipient={terms.recipient}
          checked={checked}
          onTo={(to) => {
            type({ ...draft, to });
          }}
        />
        <AmountField
          draft={draft}
          terms={terms}
          balanceWei={balanceWei}
          isSmart={isSmart}
          checked={checked}
          onAmount={(amount) => {
            type({ ...draft, amount });
          }}
        />
        {terms.fees.error !== null && <FailureNote error={terms.fees.error} act="look" />}
        <ReviewButton busy={busy} isWaiting={isWaiting} noNetwork={noNetwork} />
        {failure !== null && <FailureNote error={failure} act="send" />}
      </form>
      <NewestSends sends={sends} />
      {reviewed !== null && (
        <SendDialog
          chain={chain}
          isSmart={isSmart}
          reviewed={reviewed}
          earlier={earlierSend(sends, { chainId: chain.id, from: sender.from, ...reviewed })}
          onClose={close}
          onSend={send}
        />
      )}
    </div>
  );
}

export default function SendPanel() {
  const { address, connector, status } = useAccount();
  const chain = useKnownChain();
  if (status === 'connecting' || (status === 'reconnecting' && address === undefined))
    return (
      <p role="status" className="mt-3 text-ink-3">
        Reconnecting to your wallet.
      </p>
    );
  if (address === undefined) return <ConnectFirst>Connect a wallet to send from.</ConnectFirst>;
  if (chain === null)
    return (
      <EmptyState
        title="Your wallet is on an unsupported network"
        action={<PanelLink id="account">Change network</PanelLink>}
      >
        You can send on Base or Base Sepolia.
      </EmptyState>
    );
  return (
    <Sender
      key={`${address}.${chain.id}`}
      from={address}
      chain={chain}
      isSmart={connector?.type === 'coinbaseWallet'}
    />
  );
}
