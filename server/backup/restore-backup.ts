/** Puts the rows of a backup into an empty database, all of them or none. */
import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { throwSwitch } from '../agents/trading-halts.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { rowsOf } from '../db/sql-rows.ts';
import { checkLedger } from '../portfolio/check-ledgers.ts';
import {
  BackupEnd,
  BackupHead,
  BackupRefused,
  BackupTable,
  type BackupCounts,
  type BackupFacts,
} from './backup-file.ts';
import { migrationsOf, tablesOf } from './stored-tables.ts';

const ROWS_AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 4_000_000;

/**
 * Devices take what has a lower number than what they show for old. They may have seen numbers that
 * the backup does not have yet, so everybody's go on from far above.
 */
const EVENTS_AHEAD = 1_000_000;
const SETTINGS_AHEAD = 1_000;

export interface Restored {
  facts: BackupFacts;
  counts: BackupCounts;
}

/**
 * Everything in one transaction: rows, a check of the ledger, and a halt of all trading, since
 * agents that somebody has stopped since the backup are running again in it. `lines`: without line
 * ends.
 * @throws BackupRefused
 */
export function restoreBackup(
  database: Database,
  lines: AsyncIterable<string>,
  now: number,
): Promise<Restored> {
  let begun = false;
  return database.transaction(async (tx) => {
    if (begun)
      throw new BackupRefused('The database was lost on the way. Start the restore again.');
    begun = true;
    // Rows and the check of a large ledger take longer than a server's statement may.
    await tx.db.execute(sql`set local statement_timeout = 0`);
    const tables = await tablesOf(tx.db);
    await refuseFull(tx.db, tables);
    const restored = await new Restoring(tx, tables).read(lines);
    await tx.db.execute(sql`
      update users set sequence = sequence + ${EVENTS_AHEAD},
        settings_version = settings_version + ${SETTINGS_AHEAD}`);
    const ledger = await checkLedger(tx.db);
    if (!ledger.ok)
      throw new BackupRefused(
        `The ledger does not balance: ${ledger.problems.slice(0, 3).join('; ')}`,
      );
    await haltAll(tx, restored.facts, now);
    return restored;
  });
}

async function refuseFull(db: Db, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const rows = await rowsOf(db, sql`select 1 from ${sql.identifier(table)} limit 1`);
    if (rows.length > 0)
      throw new BackupRefused(
        `The database is not empty (table ${table}). A backup is restored into an empty one alone.`,
      );
  }
}

async function haltAll(tx: Tx, { madeAt }: BackupFacts, now: number): Promise<void> {
  const moment = new Date(madeAt).toISOString().slice(0, 16).replace('T', ' ');
  await throwSwitch(
    tx,
    {
      scope: 'platform',
      target: '',
      reason: `Data was restored from a backup of ${moment} UTC. Check your agents: what happened after that is missing.`,
      until: null,
      by: 'restore',
    },
    now,
  );
}

class Restoring {
  private readonly hash = createHash('sha256');
  private readonly counts: Record<string, number> = {};
  private facts: BackupFacts | null = null;
  private table: string | null = null;
  private rows: string[] = [];
  private characters = 0;

  constructor(
    private readonly tx: Tx,
    private readonly tables: readonly string[],
  ) {}

  async read(lines: AsyncIterable<string>): Promise<Restored> {
    for await (const line of lines) {
      if (this.facts === null) this.facts = await this.headOf(line);
      else if (line.startsWith('{')) await this.row(line);
      else if (line.startsWith('["end"')) return this.end(line, this.facts);
      else await this.begin(line);
      this.hash.update(`${line}\n`);
    }
    throw new BackupRefused('The backup is cut off: its end is missing. Nothing was restored.');
  }

  private async headOf(line: string): Promise<BackupFacts> {
    const head = BackupHead.safeParse(parsed(line));
    if (!head.success)
      throw new BackupRefused('This is no backup of Tradewind, or one of a newer version.');
    const facts = head.data[1];
    const present = await migrationsOf(this.tx.db);
    if (facts.migrations.join() !== present.join())
      throw new BackupRefused(
        `The backup is of a version with ${facts.migrations.length} migrations; this one has ${present.length}. Restore it with the version that made it, then start this one.`,
      );
    return facts;
  }

  private async begin(line: string): Promise<void> {
    await this.flush();
    const table = BackupTable.safeParse(parsed(line));
    if (!table.success || !this.tables.includes(table.data[1])) throw DAMAGED();
    [, this.table] = table.data;
    this.counts[this.table] = 0;
  }

  private async row(line: string): Promise<void> {
    this.rows.push(line);
    this.characters += line.length;
    if (this.rows.length >= ROWS_AT_ONCE || this.characters >= CHARACTERS_AT_ONCE)
      await this.flush();
  }

  /** The database reads each row's text as it wrote it. */
  private async flush(): Promise<void> {
    if (this.rows.length === 0) return;
    if (this.table === null) throw DAMAGED();
    const name = sql.identifier(this.table);
    try {
      await this.tx.db.execute(sql`
        insert into ${name} overriding system value
        select * from json_populate_recordset(null::${name}, ${`[${this.rows.join(',')}]`}::json)`);
    } catch (cause) {
      throw Object.assign(DAMAGED(), { cause });
    }
    this.counts[this.table] = (this.counts[this.table] ?? 0) + this.rows.length;
    this.rows = [];
    this.characters = 0;
  }

  private async end(line: string, facts: BackupFacts): Promise<Restored> {
    await this.flush();
    const end = BackupEnd.safeParse(parsed(line));
    if (!end.success || end.data[1].sha256 !== this.hash.digest('hex')) throw DAMAGED();
    const [, counts] = end.data;
    for (const [table, count] of Object.entries(counts.tables))
      if (this.counts[table] !== count) throw DAMAGED();
    for (const [name, last] of Object.entries(counts.sequences))
      if (last !== null)
        await this.tx.db.execute(
          sql`select setval(format('public.%I', ${name}::text)::regclass, ${last}::bigint)`,
        );
    return { facts, counts };
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const DAMAGED = (): BackupRefused =>
  new BackupRefused(
    'The backup is damaged: its content does not match its end. Nothing was restored.',
  );
