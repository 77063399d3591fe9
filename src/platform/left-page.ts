/**
 * Aborts the transactions of a page that is left and closes its connections, in WebKit: it keeps
 * such a page together with its transactions under way, closed connection or not, and their locks
 * would keep all later pages out of the database. Nothing that was called saved is undone: that is
 * said of complete transactions only. Whoever held a connection opens another where the page is
 * shown again.
 */

const isWebKit = (): boolean => navigator.vendor === 'Apple Computer, Inc.';

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // The connection has ended without an event.
  }
}

/** Called before anything opens a database. */
export function letGoOfDatabases(factory: IDBFactory, page: EventTarget): void {
  const open = factory.open.bind(factory);
  const held = new Set<IDBDatabase>();
  const underWay = new Set<IDBTransaction>();
  const follow = (transaction: IDBTransaction): void => {
    underWay.add(transaction);
    for (const end of ['complete', 'abort'])
      transaction.addEventListener(end, () => underWay.delete(transaction));
  };
  const watch = (db: IDBDatabase): void => {
    const begin = db.transaction.bind(db);
    held.add(db);
    db.transaction = (...args) => {
      const transaction = begin(...args);
      follow(transaction);
      return transaction;
    };
  };
  factory.open = (...args) => {
    const request = open(...args);
    request.addEventListener('upgradeneeded', () => {
      if (request.transaction !== null) follow(request.transaction);
    });
    request.addEventListener('success', () => {
      watch(request.result);
    });
    return request;
  };
  page.addEventListener('pagehide', () => {
    for (const transaction of underWay) abort(transaction);
    for (const db of held) db.close();
    underWay.clear();
    held.clear();
  });
}

// A browser without IndexedDB has nothing to close.
const factory = (globalThis as { indexedDB?: IDBFactory | null }).indexedDB ?? null;
if (factory !== null && isWebKit()) letGoOfDatabases(factory, window);
