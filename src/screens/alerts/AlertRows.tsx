/** Lists price alerts with their state, queued changes and buttons. */
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { BellOff, BellRing, Pencil, Trash2 } from 'lucide-react';
import { AlertTerms } from '../../../contract/alerts.ts';
import { setAlert } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { CommandState } from '../../components/CommandState.tsx';
import { conditionText, phaseText, repeatText } from '../../format/alert-text.ts';
import { alertViews, type AlertView } from '../../stores/alert-view.ts';
import { alertsStore, loadAlerts } from '../../stores/alerts-store.ts';
import { commandText } from '../../stores/agent-view.ts';
import { showResult } from '../show-result.ts';
import { undoCommand } from '../undo-command.ts';
import { useEntries, useMarketNow, useSlot } from '../use-store.ts';
import type { Editing } from './AlertForm.tsx';
import { useCurrent } from '../../shell/data-age.ts';
import { rowsOf, type AlertRow } from './alert-order.ts';
import { Announcement, Gone, takeLostFocus, UndoDelete, useDeleted } from './UndoDelete.tsx';
import { removeAlertFrom, takesFocusBack } from './undo-delete.ts';

/** The user's alerts with their queued changes; null until loaded. */
export function useAlertViews(): AlertView[] | null {
  const { data } = useSlot(alertsStore, loadAlerts);
  const entries = useEntries();
  const waiting = entries.some(({ alert }) => alert !== undefined);
  return data === null && !waiting ? null : alertViews(data?.alerts ?? [], entries);
}

/** What this device knows beyond the server's state. */
function Waiting({ view }: { view: AlertView }) {
  const { entry, alert } = view;
  if (entry === null || entry.state === 'accepted') return null;
  const unwatched = alert === null && (entry.state === 'saved' || entry.state === 'sending');
  return (
    <CommandState
      phase={entry.state}
      className="text-xs"
    >{`${commandText(entry)}${unwatched ? ' Not watched yet.' : ''}`}</CommandState>
  );
}

function UndoChange({ commandId }: { commandId: string }) {
  return (
    <button
      type="button"
      className="-my-2 min-h-11 shrink-0 text-xs underline underline-offset-2 pointer-fine:min-h-6"
      onClick={() => {
        void undoCommand(commandId);
      }}
    >
      Undo
    </button>
  );
}

interface RowActions {
  onEdit: (editing: Editing) => void;
  onDelete: (view: AlertView, byKey: boolean) => void;
}

/** Whether the server's state is what is shown, and not a change that is on its way or was refused. */
const isByServer = ({ entry }: AlertView): boolean => entry === null || entry.state === 'accepted';

/** Whether the alert can fire, or will once its change has arrived. */
function isOn({ terms, alert, entry }: AlertView): boolean {
  // A refused change has changed nothing.
  if (entry?.state === 'failed' || entry?.state === 'lapsed')
    return alert?.active === true && alert.phase !== 'fired';
  const onItsWay = entry !== null && entry.state !== 'accepted';
  return terms.active && (onItsWay || alert?.phase !== 'fired');
}

/** The terms an edit begins with: it sets a reached alert again, and leaves one that is off off. */
function editedTerms(view: AlertView): AlertTerms {
  const { terms, alert } = view;
  const isReached = isByServer(view) && alert?.phase === 'fired';
  return AlertTerms.parse({ ...terms, active: terms.active || isReached });
}

function RowActs({ view, onEdit, onDelete }: RowActions & { view: AlertView }) {
  const buttons = useRef<HTMLDivElement>(null);
  const { id, terms, seenVersion } = view;
  const name = `${terms.symbol} ${conditionText(terms.condition)}`;
  const on = isOn(view);
  const turn = (): void => {
    showResult(setAlert(id, AlertTerms.parse({ ...terms, active: !on }), seenVersion));
  };
  useEffect(() => {
    if (takesFocusBack(id)) takeLostFocus(buttons.current, 'button:last-child');
  }, [id]);
  return (
    <div ref={buttons} className="flex shrink-0">
      <Button
        size="icon"
        tone="plain"
        aria-label={`${on ? 'Turn off' : 'Turn on'} ${name}`}
        onClick={turn}
      >
        {on ? (
          <BellRing className="size-4" aria-hidden />
        ) : (
          <BellOff className="size-4 text-ink-3" aria-hidden />
        )}
      </Button>
      <Button
        size="icon"
        tone="plain"
        aria-label={`Edit ${name}`}
        onClick={() => {
          onEdit({ id, terms: editedTerms(view), symbol: terms.symbol, seenVersion });
        }}
      >
        <Pencil className="size-4" aria-hidden />
      </Button>
      <Button
        size="icon"
        tone="plain"
        aria-label={`Delete ${name}`}
        onClick={(event) => {
          onDelete(view, event.detail === 0);
        }}
      >
        <Trash2 className="size-4" aria-hidden />
      </Button>
    </div>
  );
}

/** What the server watches where other terms are shown; empty where they are the same. */
function stillText({ terms, alert }: AlertView): string {
  if (alert === null) return '';
  const [there, here] = [conditionText(alert.condition), conditionText(terms.condition)];
  if (alert.symbol !== terms.symbol) return `On the server: ${alert.symbol} ${there}. `;
  return there === here ? '' : `On the server: ${there}. `;
}

function Terms({ view, named, ...actions }: RowActions & { view: AlertView; named: boolean }) {
  const now = useMarketNow(10_000);
  const current = useCurrent('alerts');
  const { terms, alert, leaving } = view;
  return (
    <div className="flex items-center justify-between gap-2">
      <div className="min-w-0">
        <p className={isOn(view) && !leaving ? 'font-medium' : 'font-medium text-ink-3'}>
          {named && (
            <>
              <Link
                href={`/market/${terms.symbol.replace('/', '-')}`}
                className="hover:text-accent"
              >
                {terms.symbol}
              </Link>{' '}
            </>
          )}
          <span className={named ? 'font-normal' : 'first-letter:uppercase inline-block'}>
            {conditionText(terms.condition)}
          </span>
        </p>
        <p className="text-xs text-ink-3">
          {alert !== null && `${stillText(view)}${phaseText(alert, now, current)}. `}
          {repeatText(terms.repeatMinutes)}.{terms.note !== '' && <> “{terms.note}”</>}
        </p>
      </div>
      {!leaving && <RowActs view={view} {...actions} />}
    </div>
  );
}

/** Once its deletion is known to the server, only the offer to undo it is left. */
function Row({ row, named, ...actions }: RowActions & { row: AlertRow; named: boolean }) {
  const { view, offer } = row;
  return (
    <li className="rule py-1.5">
      {view !== null && <Terms view={view} named={named} {...actions} />}
      <div className="flex items-center justify-between gap-x-3">
        {view === null ? <Gone offer={offer} /> : <Waiting view={view} />}
        {offer !== null && <UndoDelete key={offer.commandId} offer={offer} />}
        {offer === null && view?.canUndo === true && view.entry !== null && (
          <UndoChange commandId={view.entry.commandId} />
        )}
      </div>
    </li>
  );
}

interface AlertRowsProps {
  views: readonly AlertView[];
  named: boolean;
  empty: string;
  onEdit: (editing: Editing) => void;
}

export function AlertRows({ views, named, empty, onEdit }: AlertRowsProps) {
  const rows = rowsOf(views, useDeleted());
  const onDelete = (view: AlertView, byKey: boolean): void => {
    const ids = rows.map(({ id }) => id);
    void removeAlertFrom(view, { above: ids.slice(0, ids.indexOf(view.id)).reverse(), byKey });
  };
  return (
    <>
      <Announcement rows={rows} />
      {rows.length === 0 && <p className="rule row flex items-center text-ink-3">{empty}</p>}
      <ul>
        {rows.map((row) => (
          <Row key={row.id} row={row} named={named} onEdit={onEdit} onDelete={onDelete} />
        ))}
      </ul>
    </>
  );
}
