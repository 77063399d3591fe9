/** The rows of a list of alerts: a deleted one keeps its place while its deletion can be undone. */
import type { AlertView } from '../../stores/alert-view.ts';
import type { Deleted } from './undo-delete.ts';

export interface AlertRow {
  id: string;
  /** Null where the alert is gone. */
  view: AlertView | null;
  /** The offer to undo its deletion. */
  offer: Deleted | null;
}

export function rowsOf(views: readonly AlertView[], offers: readonly Deleted[]): AlertRow[] {
  const rows: AlertRow[] = views.map((view) => ({
    id: view.id,
    view,
    offer: (view.leaving ? offers.find(({ id }) => id === view.id) : null) ?? null,
  }));
  for (const offer of offers) {
    const { id, above } = offer;
    if (rows.some((row) => row.id === id)) continue;
    const nearest = above.find((one) => rows.some((row) => row.id === one));
    const at = rows.findIndex((row) => row.id === nearest) + 1;
    rows.splice(at, 0, { id, view: null, offer });
  }
  return rows;
}
