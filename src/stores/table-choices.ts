/** Sort order and columns of each table, kept on this device. */
import { proxy } from 'valtio';
import type { TableSort } from '../components/table-order.ts';
import { session } from '../identity/session.ts';
import { changePreference, readPreference } from '../offline/device-preferences.ts';

const TABLES = ['positions', 'trades', 'agents'] as const;
export type TableName = (typeof TABLES)[number];
export interface TableChoice {
  sort?: TableSort | undefined;
  columns?: string[] | undefined;
}

export const tableChoices = proxy<Partial<Record<TableName, TableChoice>>>({});

/** Loads a user's choices; `present` says whether they are still logged in. */
export async function loadTableChoices(
  uid: string,
  present: () => boolean = () => true,
): Promise<void> {
  const kept = await readPreference(uid, 'tables');
  if (kept === null || !present()) return;
  for (const name of TABLES) if (kept[name] !== undefined) tableChoices[name] = kept[name];
}

/** Applied at once and saved; other tables' choices from other tabs stay. */
export async function chooseTable(name: TableName, part: TableChoice): Promise<void> {
  const uid = session.user?.uid;
  const next = { ...tableChoices[name], ...part };
  tableChoices[name] = next;
  if (uid !== undefined)
    await changePreference(uid, 'tables', (present) => ({
      ...present,
      [name]: { ...present?.[name], ...part },
    }));
}

export function clearTableChoices(): void {
  for (const name of TABLES) Reflect.deleteProperty(tableChoices, name);
}
