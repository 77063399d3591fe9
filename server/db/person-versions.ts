/**
 * A person's version: texts that change with what in the database their pages are made of. Read from
 * the database for every request, for all who ask at one moment in one statement.
 */
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { rowsOf } from './sql-rows.ts';

/** In parts, because a tick changes some of them for everybody and others for those who traded. */
export interface PersonVersion {
  /** All that has an event, and what an operator and the plan allow. */
  books: string;
  /** The newest equity point of the open account: each tick writes one. */
  marks: string;
  /** When the agents last looked. */
  runs: string;
}

interface Asking {
  resolve: (version: PersonVersion | null) => void;
  reject: (error: unknown) => void;
}

interface VersionRow extends PersonVersion {
  uid: string;
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
  of(uid: string): Promise<PersonVersion | null> {
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
  private async read(uids: readonly string[]): Promise<Map<string, PersonVersion>> {
    const rows = await rowsOf<VersionRow>(
      this.database.db,
      sql`
      select users.uid, concat_ws('.', users.sequence, open.id,
        'a', (select max(checked_at) from account_alarms join accounts doubted on doubted.id = account_alarms.account_id where doubted.uid = users.uid),
        'h', (select max(id) from halts),
        'p', users.trial_ends_at, (select concat_ws('.', updated_at, observation) from subscriptions where subscriptions.uid = users.uid)) as books,
        coalesce((select max(at_market_ms) from equity_points where account_id = open.id)::text, '') as marks,
        coalesce((select sum(last_run_market_ms) from agents where agents.uid = users.uid and agents.source = ${this.source} and deleted_at is null)::text, '') as runs
      from users left join accounts open on open.uid = users.uid and open.source = ${this.source} and open.closed_at is null
      where users.uid in (select json_array_elements_text(${JSON.stringify(uids)}::json))`,
    );
    return new Map(rows.map(({ uid, ...version }) => [uid, version]));
  }
}
