/** The form of a price alert, in a dialog that keeps entries. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { AlertCondition, AlertTerms } from '../../../contract/alerts.ts';
import { ALERT_REPEATS, ALERT_WINDOWS } from '../../../contract/alert-limits.ts';
import { ALERT_LOOK_BACK_DAYS, ALERT_NOTE_MAX } from '../../../contract/limits.ts';
import { queue, setAlert } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { Field, Select } from '../../components/Field.tsx';
import { formatMinutes, repeatText } from '../../format/alert-text.ts';
import { formatPercent, formatPrice } from '../../format/numbers.ts';
import { fieldText } from '../../format/typed-numbers.ts';
import { formatSpan } from '../../format/ages.ts';
import { formatWhen } from '../../format/times.ts';
import { connection } from '../../stores/connection.ts';
import { marketStore, serverBoard } from '../../stores/market-store.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { useQuote } from '../market/use-quote.ts';
import { useMarketNow } from '../use-store.ts';
import {
  distance,
  draftOf,
  newDraft,
  readDraft,
  shiftedPrice,
  withKind,
  withPair,
  type AlertDraft,
  type DraftErrors,
} from './alert-draft.ts';

/** The alert that is edited; null terms for a new one. */
export interface Editing {
  id: string;
  terms: AlertTerms | null;
  symbol: string;
  seenVersion: number | null;
}

/** The prices of the server, replaced in place; undefined without any. */
type Board = Readonly<Record<string, { readonly price: string }>> | undefined;

const KINDS: readonly { kind: AlertCondition['kind']; label: string }[] = [
  { kind: 'above', label: 'Rises to' },
  { kind: 'below', label: 'Falls to' },
  { kind: 'move', label: 'Moves by' },
];
const STEPS = [1, 2, 5, 10];
const STALE_MS = 20_000;
const DAY_MS = 86_400_000;

const CHIP =
  'inline-flex min-h-11 flex-1 items-center justify-center rounded-md border px-2 text-sm pointer-fine:min-h-8';

function Kinds({
  kind,
  onKind,
}: {
  kind: AlertCondition['kind'];
  onKind: (kind: AlertCondition['kind']) => void;
}) {
  return (
    <div role="group" aria-label="Alert me when the price" className="flex gap-2">
      {KINDS.map((one) => (
        <button
          key={one.kind}
          type="button"
          aria-pressed={one.kind === kind}
          onClick={() => {
            onKind(one.kind);
          }}
          className={classes(
            CHIP,
            one.kind === kind
              ? 'border-accent bg-accent-wash font-medium text-ink'
              : 'border-line-strong/60 text-ink-2 hover:bg-sunken',
          )}
        >
          {one.label}
        </button>
      ))}
    </div>
  );
}

function PricePart({
  draft,
  board,
  error,
  onChange,
}: {
  draft: AlertDraft;
  board: Board;
  error: string | undefined;
  onChange: (change: Partial<AlertDraft>) => void;
}) {
  const sign = draft.kind === 'below' ? -1 : 1;
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Price"
        inputMode="decimal"
        autoComplete="off"
        value={draft.price}
        error={error}
        unit={draft.symbol.split('/')[1] ?? ''}
        onChange={(event) => {
          onChange({ price: event.target.value, priceTyped: true });
        }}
      />
      {board?.[draft.symbol] !== undefined && (
        <div
          className="flex gap-2"
          role="group"
          aria-label="Set the price relative to the current price"
        >
          {STEPS.map((step) => (
            <button
              key={step}
              type="button"
              className={classes(CHIP, 'border-line-strong/60 text-ink-2 hover:bg-sunken')}
              onClick={() => {
                // At the press: the form is not drawn again for each price.
                const price = board[draft.symbol]?.price;
                if (price !== undefined)
                  onChange({
                    price: fieldText(shiftedPrice(price, step * sign)),
                    priceTyped: false,
                  });
              }}
            >
              {formatPercent(step * sign, { decimals: 0 })}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function MovePart({
  draft,
  error,
  onChange,
}: {
  draft: AlertDraft;
  error: string | undefined;
  onChange: (change: Partial<AlertDraft>) => void;
}) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field
        label="Percent"
        inputMode="decimal"
        autoComplete="off"
        unit="%"
        value={draft.percent}
        error={error}
        onChange={(event) => {
          onChange({ percent: event.target.value });
        }}
      />
      <Select
        label="Within"
        value={String(draft.windowMinutes)}
        options={ALERT_WINDOWS.map((minutes) => ({
          value: String(minutes),
          label: formatMinutes(minutes),
        }))}
        onChange={(event) => {
          onChange({ windowMinutes: Number(event.target.value) });
        }}
      />
      <div className="col-span-2">
        <Select
          label="Direction"
          value={draft.direction}
          options={[
            { value: 'either', label: 'Up or down' },
            { value: 'up', label: 'Up' },
            { value: 'down', label: 'Down' },
          ]}
          onChange={(event) => {
            onChange({ direction: event.target.value as AlertDraft['direction'] });
          }}
        />
      </div>
    </div>
  );
}

/**
 * What will happen after saving: the distance, and that a price which is already reached must move
 * away first.
 */
function Outlook({ draft, isOff }: { draft: AlertDraft; isOff: boolean }) {
  const now = useMarketNow();
  const quote = useQuote(serverBoard(), draft.symbol);
  const price = quote?.price ?? null;
  const old = quote === undefined ? 0 : now - quote.timestamp;
  if (isOff) return <p className="text-ink-2">This alert is off and stays off when you save it.</p>;
  if (draft.kind === 'move') {
    return (
      <p className="text-ink-2">
        Measured from the lowest or highest price of the last {formatMinutes(draft.windowMinutes)}.
        Past moves don't count.
      </p>
    );
  }
  if (draft.symbol === '')
    return <p className="text-ink-2">Choose a pair to see its current price.</p>;
  const away = distance(draft, price);
  if (price === null)
    return (
      <p className="text-ink-2">
        No current price. If the condition is already met when the server gets this alert, you are
        notified at once.
      </p>
    );
  const present =
    old > STALE_MS
      ? `The price was ${formatPrice(price)} ${formatSpan(old)} ago`
      : `The price is ${formatPrice(price)} now`;
  if (away === null) return <p className="text-ink-2">{present}.</p>;
  if (!away.held)
    return (
      <p className="text-ink-2">
        {present}, {formatPercent(Math.abs(away.percent), { signed: false })} away.
      </p>
    );
  const [side, back] = draft.kind === 'above' ? ['at or above', 'below'] : ['at or below', 'above'];
  return (
    <p className="text-amber">
      {present}, already {side} this price. You are notified after it has moved {back} and returned.
    </p>
  );
}

/** From where the server checks the prices of before it has the alert; empty where it does not. */
function lookBackText(seenAt: number | undefined, now: number): string {
  if (seenAt === undefined) return '';
  const isCapped = now - seenAt > ALERT_LOOK_BACK_DAYS * DAY_MS;
  const since = isCapped
    ? `of the last ${ALERT_LOOK_BACK_DAYS} days`
    : `since ${formatWhen(seenAt, now)}`;
  return `, and also checks the prices ${since}`;
}

/** What becomes of the alert without the server. `act`: the word of the button. */
function Unwatched({ symbol, act }: { symbol: string; act: 'set' | 'save' }) {
  const { online } = useSnapshot(connection);
  const { storage } = useSnapshot(queue);
  const now = useMarketNow();
  const quote = useQuote(serverBoard(), symbol);
  if (online !== 'offline') return null;
  return (
    <p className="text-amber">
      {storage === 'memory' || storage === 'newer'
        ? `You're offline, and the alert cannot be saved on this device. You can ${act} it when you're back online.`
        : `You're offline. When you ${act} the alert, it is saved on this device. The server watches it from when it receives it${lookBackText(quote?.timestamp, now)}.`}
    </p>
  );
}

type ChangeDraft = (change: Partial<AlertDraft>) => void;

/** The entries, their errors, and saving them. */
function useAlertDraft(editing: Editing, onDone: () => void) {
  const { data, origin } = useSnapshot(marketStore);
  const direct = origin === 'exchange';
  const board = direct ? undefined : data?.symbols;
  const [draft, setDraft] = useState<AlertDraft>(() => {
    const price = board?.[editing.symbol]?.price ?? null;
    return editing.terms === null ? newDraft(editing.symbol, price) : draftOf(editing.terms, price);
  });
  const [errors, setErrors] = useState<DraftErrors>({});
  const [busy, setBusy] = useState(false);
  const [isTyped, setIsTyped] = useState(false);
  /** A press beside the form was not taken for Cancel. */
  const [strayed, setStrayed] = useState(false);
  const change: ChangeDraft = (next) => {
    setIsTyped(true);
    setDraft((present) => ({ ...present, ...next }));
    setErrors({});
  };
  const save = async (): Promise<void> => {
    const read = readDraft(draft, editing.terms?.active ?? true);
    if ('errors' in read) {
      setErrors(read.errors);
      return;
    }
    setBusy(true);
    const result = await setAlert(editing.id, read.terms, editing.seenVersion);
    setBusy(false);
    if (result.said === 'saved' || result.said === 'sent') {
      onDone();
      return;
    }
    // The form stays open, so that no entry is lost.
    pageToast('error', result.message);
  };
  const stay = (): void => {
    setStrayed(true);
  };
  const onStray = isTyped ? stay : undefined;
  return { board, direct, draft, errors, busy, strayed, onStray, change, save };
}

function PairPart({
  draft,
  symbols,
  board,
  direct,
  error,
  onChange,
}: {
  draft: AlertDraft;
  symbols: readonly string[];
  board: Board;
  direct: boolean;
  error: string | undefined;
  onChange: ChangeDraft;
}) {
  // The server may go, and the list of its pairs with it, after one was chosen.
  const offered =
    draft.symbol === '' || symbols.includes(draft.symbol) ? symbols : [draft.symbol, ...symbols];
  return (
    <Select
      label="Pair"
      value={draft.symbol}
      error={error}
      hint={direct ? 'Pairs are not available while the server is not responding.' : undefined}
      options={[
        { value: '', label: 'Choose a pair' },
        ...offered.map((symbol) => ({ value: symbol, label: symbol })),
      ]}
      onChange={(event) => {
        const symbol = event.target.value;
        onChange(withPair(draft, symbol, board?.[symbol]?.price ?? null));
      }}
    />
  );
}

function RepeatPart({ draft, onChange }: { draft: AlertDraft; onChange: ChangeDraft }) {
  return (
    <Select
      label="How often"
      value={String(draft.repeatMinutes ?? 0)}
      options={[null, ...ALERT_REPEATS].map((minutes) => ({
        value: String(minutes ?? 0),
        label: repeatText(minutes),
      }))}
      onChange={(event) => {
        onChange({
          repeatMinutes: event.target.value === '0' ? null : Number(event.target.value),
        });
      }}
    />
  );
}

function NotePart({
  draft,
  error,
  onChange,
}: {
  draft: AlertDraft;
  error: string | undefined;
  onChange: ChangeDraft;
}) {
  return (
    <Field
      label="Note (optional)"
      maxLength={ALERT_NOTE_MAX}
      value={draft.note}
      error={error}
      placeholder="Reason for this alert"
      onChange={(event) => {
        onChange({ note: event.target.value });
      }}
    />
  );
}

/** Where the user is notified. */
function Channels() {
  return (
    <p className="text-xs text-ink-3">
      You are notified in the app, and on devices where{' '}
      <Link href="/settings#notifications" className="underline underline-offset-2">
        notifications
      </Link>{' '}
      are on.
    </p>
  );
}

function titleOf({ terms }: Editing, symbol: string): string {
  if (terms !== null) return `Edit alert for ${symbol}`;
  return `Alert for ${symbol === '' ? 'a pair' : symbol}`;
}

interface AlertFormProps {
  editing: Editing;
  symbols?: readonly string[];
  onDone: () => void;
}

/** Cancel and save. `strayed`: says that a press beside the form has dropped nothing. */
function FormActions({
  isNew,
  busy,
  strayed,
  onCancel,
  onSave,
}: {
  isNew: boolean;
  busy: boolean;
  strayed: boolean;
  onCancel: () => void;
  onSave: () => void;
}) {
  return (
    <>
      <p
        role="status"
        className={
          strayed ? 'order-last text-amber sm:order-none sm:mr-auto sm:self-center' : 'sr-only'
        }
      >
        {strayed && 'Not saved yet. Cancel discards your entries.'}
      </p>
      <Button onClick={onCancel}>Cancel</Button>
      <Button tone="primary" busy={busy} onClick={onSave}>
        {isNew ? 'Set alert' : 'Save alert'}
      </Button>
    </>
  );
}

function AlertForm({ editing, symbols, onDone }: AlertFormProps) {
  const form = useAlertDraft(editing, onDone);
  const { board, direct, draft, errors, busy, strayed, onStray, change, save } = form;
  const isOff = editing.terms?.active === false;
  const submit = (): void => {
    void save();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onDone();
      }}
      title={titleOf(editing, draft.symbol)}
      onStray={onStray}
      actions={
        <FormActions
          isNew={editing.terms === null}
          busy={busy}
          strayed={strayed}
          onCancel={onDone}
          onSave={submit}
        />
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {symbols !== undefined && (
          <PairPart
            draft={draft}
            symbols={symbols}
            board={board}
            direct={direct}
            error={errors.symbol}
            onChange={change}
          />
        )}
        <Kinds
          kind={draft.kind}
          onKind={(kind) => {
            change(withKind(draft, kind, board?.[draft.symbol]?.price ?? null));
          }}
        />
        {draft.kind === 'move' ? (
          <MovePart draft={draft} error={errors.percent} onChange={change} />
        ) : (
          <PricePart draft={draft} board={board} error={errors.price} onChange={change} />
        )}
        <Outlook draft={draft} isOff={isOff} />
        <RepeatPart draft={draft} onChange={change} />
        <NotePart draft={draft} error={errors.note} onChange={change} />
        {!isOff && (
          <Unwatched symbol={draft.symbol} act={editing.terms === null ? 'set' : 'save'} />
        )}
        {!isOff && <Channels />}
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
    </Dialog>
  );
}

export default AlertForm;
