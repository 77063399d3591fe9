/** The offer to undo the deletion of an alert: its words, its button and its focus. */
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../../components/Button.tsx';
import { conditionText } from '../../format/alert-text.ts';
import { session } from '../../identity/session.ts';
import type { AlertRow } from './alert-order.ts';
import { bringBack, deleted, holdOffer, releaseOffer, type Deleted } from './undo-delete.ts';

const nameOf = ({ terms }: Deleted): string => `${terms.symbol} ${conditionText(terms.condition)}`;

/** What this user has deleted and can restore. */
export function useDeleted(): readonly Deleted[] {
  const uid = useSnapshot(session).user?.uid;
  const { list } = useSnapshot(deleted) as typeof deleted;
  return list.filter((one) => one.uid === uid);
}

/** For what has come in place of a control that had the focus; not where it is elsewhere by now. */
export function takeLostFocus(around: Element | null, selector: string): void {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body)
    around?.querySelector<HTMLElement>(selector)?.focus();
}

/** It changes by a press only. */
export function Announcement({ rows }: { rows: readonly AlertRow[] }) {
  const { newest } = useSnapshot(deleted);
  const offer = rows.find(({ id }) => id === newest)?.offer ?? null;
  return (
    <p role="status" className="sr-only">
      {offer?.undoing === false ? `${nameOf(offer)}: deletion saved. You can undo it.` : ''}
    </p>
  );
}

export function Gone({ offer }: { offer: Deleted | null }) {
  return (
    <span className="min-w-0 truncate text-ink-3">
      {offer === null ? '' : `Deleted: ${nameOf(offer)}`}
    </span>
  );
}

export function UndoDelete({ offer }: { offer: Deleted }) {
  const { id, byKey } = offer;
  const place = useRef<HTMLSpanElement>(null);
  const hold = (): void => {
    holdOffer(id);
  };
  const release = (): void => {
    releaseOffer(id);
  };
  useEffect(() => {
    if (byKey) takeLostFocus(place.current, 'button');
    // The screen may be left while the button has the focus.
    return () => {
      releaseOffer(id);
    };
  }, [id, byKey]);
  return (
    <span
      ref={place}
      className="ml-auto shrink-0"
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <Button
        size="sm"
        data-act={`undo delete ${id}`}
        aria-label={`Undo: delete ${nameOf(offer)}`}
        onClick={(event) => {
          void bringBack(id, event.detail === 0);
        }}
      >
        Undo
      </Button>
    </span>
  );
}
