/**
 * One IndexedDB database per user, for page and worker. It is not created again after its user has
 * logged out.
 */
import type { UseStore } from 'idb-keyval';

const STORES = ['snapshots', 'outbox', 'quarantine', 'meta'] as const;
export type StoreName = (typeof STORES)[number];

const VERSION = 1;
const PREFIX = 'tradewind-';
/** A browser that cannot open its database in this time is treated as having none. */
const OPEN_DEADLINE_MS = 2_000;
/**
 * A transaction that has not ended in this time is given up, so that a Stop goes past a disk that
 * hangs. Much longer than the slowest disk needs.
 */
const TRANSACTION_DEADLINE_MS = 8_000;
/** A timer that comes later than this was asleep with its page, and so was the transaction, ms. */
const ASLEEP_MS = 1_000;
/** After that no attempt is made for a while, so that a Stop is not delayed by every try. */
const REST_MS = 30_000;
/**
 * How long a deletion waits for other tabs to close their connections, ms. It completes later all
 * the same.
 */
const DELETE_DEADLINE_MS = 5_000;

/**
 * `no-storage`: there is no IndexedDB, or it did not open in time. `quota`: the disk is full.
 * `signed-out`: the user's database was deleted, or was never made here. `newer`: a newer build has
 * changed its form. `broken`: it failed twice in a row.
 */
export type StorageFaultCode = 'no-storage' | 'quota' | 'signed-out' | 'newer' | 'broken';

export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  constructor(
    readonly code: StorageFaultCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

export interface DatabaseOptions {
  /**
   * Asked before a missing database is created: is this user (still) logged in here? A worker says
   * no.
   */
  mayCreate: () => boolean;
  /** Initial value of the user's choice to save snapshots. */
  keepSnapshots?: () => boolean;
  /**
   * The device's note, outside the database, that it existed: if it is missing now, the browser has
   * deleted it.
   */
  note?: { had(): boolean; made(): void };
  factory?: IDBFactory | undefined;
  deadlineMs?: number;
  transactionDeadlineMs?: number;
  /**
   * Where `pagehide` and `pageshow` are heard; the page's window by default, nothing in a worker.
   */
  page?: EventTarget | undefined;
}

const ownPage = (): EventTarget | undefined => ('document' in globalThis ? globalThis : undefined);

/** `newer`: a newer build of the app uses the database, until this one is reloaded. */
export type StorageMode = 'unopened' | 'disk' | 'memory' | 'newer';

/** Created on demand: an error's stack costs some milliseconds at a start. */
let hung: StorageFault | undefined;
const hungFault = (): StorageFault =>
  (hung ??= new StorageFault('no-storage', 'The storage of this browser did not answer in time'));

interface Connection {
  db: IDBDatabase;
  closed: boolean;
}

const databaseName = (uid: string): string => `${PREFIX}${uid}`;

function faultOf(error: unknown): StorageFault {
  if (error instanceof StorageFault) return error;
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'QuotaExceededError')
    return new StorageFault('quota', 'This device is out of storage', error);
  return new StorageFault('broken', 'This device could not save this', error);
}

export class UserDatabase {
  private connection: Promise<Connection> | null = null;
  private gone = false;
  private restUntil = 0;
  private current: StorageMode = 'unopened';
  private wasOpen = false;
  private cleared = false;
  private readonly listeners = new Set<(mode: StorageMode) => void>();
  /** Resolves when the page is shown again; null while it is. */
  private shownAgain: Promise<void> | null = null;
  private readonly unused = new AbortController();

  constructor(
    readonly uid: string,
    private readonly options: DatabaseOptions,
  ) {
    const page = 'page' in options ? options.page : ownPage();
    if (page !== undefined) this.letGoWhenLeft(page);
  }

  /**
   * A page that is left begins no transaction: WebKit would keep it, and its locks, with the page
   * (src/platform/left-page.ts). Requests wait until the page is shown again.
   */
  private letGoWhenLeft(page: EventTarget): void {
    const { signal } = this.unused;
    page.addEventListener(
      'pagehide',
      () => {
        this.shownAgain ??= new Promise((resolve) => {
          const again = (): void => {
            this.shownAgain = null;
            resolve();
          };
          page.addEventListener('pageshow', again, { once: true, signal });
          signal.addEventListener('abort', again, { once: true });
        });
        void this.close();
      },
      { signal },
    );
  }

  get mode(): StorageMode {
    return this.current;
  }

  /** Whether this handle has had the database open before, whatever became of it. */
  get wasOnDisk(): boolean {
    return this.wasOpen;
  }

  /**
   * Whether the user's data was deleted since this handle was created: it writes nothing any more.
   */
  get deleted(): boolean {
    return this.gone;
  }

  /**
   * Whether the browser has deleted the database, unsent commands included, and this handle had to
   * start over.
   */
  get lost(): boolean {
    return this.cleared;
  }

  /** The user has read that. */
  noteLossRead(): void {
    this.cleared = false;
  }

  /** Calls back for a change of mode or a loss. Returns a function that unsubscribes. */
  onMode(listener: (mode: StorageMode) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** An idb-keyval store of this database. */
  store(name: StoreName): UseStore {
    return (mode, callback) =>
      this.transact([name], mode, (transaction) => callback(transaction.objectStore(name)));
  }

  /**
   * One transaction. A write is strict: it resolves only when it is on disk. `work` must await
   * nothing but requests of this transaction. A connection closed by the browser is opened once
   * more. One that hangs is given up: what was on its way to the disk at that moment may get there
   * all the same. @throws StorageFault
   */
  async transact<T>(
    stores: readonly StoreName[],
    mode: IDBTransactionMode,
    work: (transaction: IDBTransaction) => T | PromiseLike<T>,
    durability: IDBTransactionDurability = 'strict',
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.shownAgain !== null) await this.shownAgain;
      if (this.gone) throw new StorageFault('signed-out', 'This user has logged out');
      const opening = this.open();
      const connection = await opening;
      try {
        const transaction = connection.db.transaction([...stores], mode, { durability });
        const ended = orHung(
          completion(transaction),
          this.options.transactionDeadlineMs ?? TRANSACTION_DEADLINE_MS,
        );
        ended.catch(() => undefined);
        let result: T;
        try {
          // An abort ends the wait, also of work whose requests never answer because of it.
          result = await Promise.race([
            work(transaction),
            ended.then(() => new Promise<never>(() => undefined)),
          ]);
        } catch (error) {
          abort(transaction);
          // The transaction's own error says more (a full disk, a closed database) than the
          // request's.
          if (error !== hung) await ended.catch(() => undefined);
          throw transaction.error ?? error;
        }
        await ended;
        return result;
      } catch (error) {
        if (error === hung) this.giveUp(opening, connection);
        const name = error instanceof Error || error instanceof DOMException ? error.name : '';
        const lost = connection.closed || name === 'InvalidStateError';
        if (!lost || attempt > 1 || error === hung) throw faultOf(error);
        this.connection = null;
      }
    }
  }

  /** A disk that hangs is left alone for a while, as one that does not open. */
  private giveUp(opening: Promise<Connection>, connection: Connection): void {
    if (this.connection === opening) this.connection = null;
    connection.closed = true;
    connection.db.close();
    this.restUntil = performance.now() + REST_MS;
    this.become('memory');
  }

  /** Closes the connection; the next use opens it again. */
  async close(): Promise<void> {
    const held = this.connection;
    this.connection = null;
    const connection = await held?.catch(() => null);
    if (connection != null) {
      connection.closed = true;
      connection.db.close();
    }
  }

  /**
   * No write through this handle succeeds from now on, whether or not the deletion has happened
   * yet.
   */
  async retire(): Promise<void> {
    this.gone = true;
    this.unused.abort();
    await this.close();
  }

  private open(): Promise<Connection> {
    if (performance.now() < this.restUntil) return Promise.reject(hungFault());
    this.connection ??= this.openNow().then(
      (connection) => {
        this.become('disk');
        return connection;
      },
      (error: unknown) => {
        this.connection = null;
        const fault =
          error instanceof StorageFault
            ? error
            : new StorageFault('no-storage', 'This browser offers no storage', error);
        if (fault.code === 'no-storage') this.become('memory');
        if (fault.code === 'newer') this.become('newer');
        if (fault === hung) this.restUntil = performance.now() + REST_MS;
        throw fault;
      },
    );
    return this.connection;
  }

  private become(mode: StorageMode): void {
    if (this.current === mode) return;
    this.current = mode;
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener(this.current);
  }

  /** A database is open here; `anew`: it had to be created. */
  private isOnDisk(anew: boolean): void {
    const { note } = this.options;
    if (anew && (this.wasOpen || note?.had() === true)) this.cleared = true;
    this.wasOpen = true;
    note?.made();
    if (this.cleared) this.notify();
  }

  private async openNow(): Promise<Connection> {
    const factory = this.options.factory ?? (globalThis as { indexedDB?: IDBFactory }).indexedDB;
    if (factory === undefined || factory === null)
      throw new StorageFault('no-storage', 'This browser offers no storage');
    const attempt = { late: false };
    const opened = this.request(factory, attempt);
    const deadline = new Promise<never>((_resolve, reject) => {
      setTimeout(() => {
        attempt.late = true;
        reject(hungFault());
      }, this.options.deadlineMs ?? OPEN_DEADLINE_MS);
    });
    deadline.catch(() => undefined);
    const connection = this.connect(await Promise.race([opened, deadline]));
    if (this.gone) {
      connection.db.close();
      throw new StorageFault('signed-out', 'This user has logged out');
    }
    return connection;
  }

  /** Opens or creates the database. One that opens after the deadline is closed again. */
  private request(factory: IDBFactory, attempt: { readonly late: boolean }): Promise<IDBDatabase> {
    const request = factory.open(databaseName(this.uid), VERSION);
    let refused = false;
    let anew = false;
    request.onupgradeneeded = (event) => {
      if (this.gone || (event.oldVersion === 0 && !this.options.mayCreate())) {
        refused = true;
        request.transaction?.abort();
        return;
      }
      anew = event.oldVersion === 0;
      for (const name of STORES)
        if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name);
      request.transaction
        ?.objectStore('meta')
        .put(this.options.keepSnapshots?.() ?? true, 'keepSnapshots');
    };
    return new Promise<IDBDatabase>((resolve, reject) => {
      request.onsuccess = () => {
        this.isOnDisk(anew);
        if (!attempt.late) {
          resolve(request.result);
          return;
        }
        request.result.close();
        this.restUntil = 0;
      };
      request.onerror = () => {
        reject(refused ? notSignedIn() : openingFault(request.error));
      };
    });
  }

  private connect(db: IDBDatabase): Connection {
    const connection: Connection = { db, closed: false };
    db.onversionchange = (event) => {
      // Another tab wants to upgrade or delete the database, which an open connection would block.
      if (event.newVersion === null) this.gone = true;
      else this.become('newer');
      connection.closed = true;
      db.close();
      this.connection = null;
    };
    db.onclose = () => {
      connection.closed = true;
      this.connection = null;
    };
    return connection;
  }
}

const notSignedIn = (): StorageFault =>
  new StorageFault('signed-out', 'This user is not logged in here');

function openingFault(error: DOMException | null): StorageFault {
  return error?.name === 'VersionError'
    ? new StorageFault('newer', 'A newer version of the app is in use here', error)
    : new StorageFault('no-storage', 'This browser offers no storage', error);
}

/** What ends in time, or the fault of a disk that hangs. */
function orHung(ended: Promise<void>, deadlineMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      const dueAt = performance.now() + deadlineMs;
      timer = setTimeout(() => {
        if (performance.now() - dueAt > ASLEEP_MS) wait();
        else reject(hungFault());
      }, deadlineMs);
    };
    wait();
    ended.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

/** By listeners: idb-keyval sets the handlers of the same transaction for itself. */
function completion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => {
      resolve();
    });
    transaction.addEventListener('abort', () => {
      reject(transaction.error ?? new StorageFault('broken', 'This device did not complete this'));
    });
  });
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already.
  }
}

const handles = new Map<string, UserDatabase>();

/** The realm's handle for a user; a new one after the old one's data was deleted. */
export function openUserDatabase(uid: string, options: DatabaseOptions): UserDatabase {
  const present = handles.get(uid);
  if (present !== undefined && !present.deleted) return present;
  const handle = new UserDatabase(uid, options);
  handles.set(uid, handle);
  return handle;
}

/** The handle where this realm has opened one. */
export function heldDatabase(uid: string): UserDatabase | null {
  const present = handles.get(uid);
  return present === undefined || present.deleted ? null : present;
}

/**
 * Deletes all data of a user on this device. Other tabs and the worker close their connections on
 * the browser's request; no handle writes from then on.
 */
export async function deleteUserDatabase(
  uid: string,
  factory: IDBFactory | undefined = (globalThis as { indexedDB?: IDBFactory }).indexedDB,
): Promise<void> {
  await handles.get(uid)?.retire();
  handles.delete(uid);
  if (factory === undefined) return;
  await new Promise<void>((resolve, reject) => {
    const request = factory.deleteDatabase(databaseName(uid));
    const timer = setTimeout(() => {
      reject(new StorageFault('broken', 'Another tab still holds the data that is to be deleted'));
    }, DELETE_DEADLINE_MS);
    const settle = (): void => {
      clearTimeout(timer);
    };
    request.addEventListener('success', settle);
    request.addEventListener('error', settle);
    request.onsuccess = () => {
      resolve();
    };
    request.onerror = () => {
      reject(faultOf(request.error));
    };
  });
}
