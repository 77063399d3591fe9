/**
 * The database a trading test runs on: PGlite in memory, or what another test file has put in its
 * place.
 */
import type { Database } from '../../server/db/database.ts';
import { openEmptyDatabase } from './empty-database.ts';

let open: () => Promise<Database> = () => openEmptyDatabase();

/**
 * From here on `openTestDatabase` opens this kind; for a file that runs the tests of another on its
 * own database.
 */
export function useDatabase(other: () => Promise<Database>): void {
  open = other;
}

export function openTestDatabase(): Promise<Database> {
  return open();
}
