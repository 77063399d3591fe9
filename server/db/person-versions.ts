/**
 * A person's version: a text that changes with everything in the database that their pages are made
 * of. Read from the database for every request, for all who ask at one moment in one statement.
 */
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { rowsOf } from './sql-rows.ts';

interface Asking {
  resolve: (version: string | null) => void;
  reject: (error: unknown) => void;
}

interface VersionRow {
  uid: string;
  version: string;
}

export class PersonVersions {
  private readonly asking = new Map<string, Asking[]>();
  private reading = false;

  /** `source`: the market source whose accounts and agents count. */
  constructor(
    private readonly database: Database,
    private readonly source: string,
  ) {}

  /**
   * The version at a moment after this call; null for a person who has no row. Whoever asks while a
   * statement is under way is in the next one: the one under way may have begun before an event
   * that this person has been told.
   */
  of(uid: string): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const list = this.asking.get(uid) ?? [];
      list.push({ resolve, reject });
      this.asking.set(uid, list);
      if (!this.reading) void this.readAll();
    });
  }

  private async readAll(): Promise<void> {
    this.reading = true;
    // Those who come in the same turn of the event loop come along.
    await new Promise(setImmediate);
    while (this.asking.size > 0) {
      const asked = new Map(this.asking);
      this.asking.clear();
      try {
        const found = await this.read([...asked.keys()]);
        for (const [uid, list] of asked)
          for (const { resolve } of list) resolve(found.get(uid) ?? null);
      } catch (error) {
        for (const list of asked.values()) for (const { reject } of list) reject(error);
      }
    }
    this.reading = false;
  }

  /**
   * The event number tells of everything that has an event. What has none is named beside it: the
   * equity point of a tick, agents that looked, an alarm about a ledger, an operator's switch (its
   * rows are only ever added), a plan.
   */
  private async read(uids: readonly string[]): Promise<Map<string, string>> {
    const rows = await rowsOf<VersionRow>(
      this.database.db,
      sql`
      select users.uid, concat_ws('.', users.sequence, open.id,
        (select max(at_market_ms) from equity_points where account_id = open.id),
        'r', (select sum(last_run_market_ms) from agents where agents.uid = users.uid and agents.source = ${this.source} and deleted_at is null),
        'a', (select max(checked_at) from account_alarms join accounts doubted on doubted.id = account_alarms.account_id where doubted.uid = users.uid),
        'h', (select max(id) from halts),
        'p', users.trial_ends_at, (select concat_ws('.', updated_at, observation) from subscriptions where subscriptions.uid = users.uid)) as version
      from users left join accounts open on open.uid = users.uid and open.source = ${this.source} and open.closed_at is null
      where users.uid in (select json_array_elements_text(${JSON.stringify(uids)}::json))`,
    );
    return new Map(rows.map(({ uid, version }) => [uid, version]));
  }
}
