/**
 * The form of an alert, to be drawn beside the list that opens it: an alert that goes while it is
 * edited must not take the entries with it.
 */
import { Suspense, useState, type ReactNode } from 'react';
import { screenPart } from '../../components/screen-part.tsx';
import type { Editing } from './AlertForm.tsx';

const AlertForm = screenPart(() => import('./AlertForm.tsx'));

/** `symbols`: the pairs to choose from for a new alert of no pair yet. */
export function useAlertForm(symbols?: readonly string[]): {
  edit: (editing: Editing) => void;
  /** For a pair, or for one that is chosen in the form. */
  begin: (symbol?: string) => void;
  form: ReactNode;
} {
  const [editing, setEditing] = useState<Editing | null>(null);
  return {
    edit: setEditing,
    // The id is created at the press, so that saving twice creates one alert.
    begin: (symbol = '') => {
      setEditing({ id: crypto.randomUUID(), terms: null, symbol, seenVersion: null });
    },
    form: editing !== null && (
      <Suspense>
        <AlertForm
          editing={editing}
          {...(symbols === undefined || editing.terms !== null ? {} : { symbols })}
          onDone={() => {
            setEditing(null);
          }}
        />
      </Suspense>
    ),
  };
}
