/** What runs inside a driven page to watch or unlock its queue. */
import type { QueuedRecord } from './device.ts';

/**
 * One transaction of the page on its queue, told when the disk had it. `deletes`: as they were when
 * they were deleted.
 */
export interface Change {
  puts: QueuedRecord[];
  deletes: QueuedRecord[];
}

/** Runs in the page: tells of every completed change of a queue. */
export const RECORDER = `(() => {
  const changes = new WeakMap();
  const changeOf = (store) => {
    let change = changes.get(store.transaction);
    if (!change) {
      change = { puts: [], deletes: [] };
      changes.set(store.transaction, change);
      store.transaction.addEventListener('complete', () => { window.queueChanged(change); });
    }
    return change;
  };
  const { put, delete: remove } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, key) {
    if (this.name === 'outbox') changeOf(this).puts.push(value);
    return put.call(this, value, key);
  };
  IDBObjectStore.prototype.delete = function (key) {
    if (this.name === 'outbox') {
      const change = changeOf(this);
      const before = this.get(key);
      before.onsuccess = () => { if (before.result) change.deletes.push(before.result); };
    }
    return remove.call(this, key);
  };
})()`;

/** Runs in a page: the queue's lock is granted to whoever asks. */
export const NO_LOCK = `(() => {
  const request = navigator.locks.request.bind(navigator.locks);
  navigator.locks.request = (name, ...rest) => (name.startsWith('outbox:') ? Promise.resolve(rest.at(-1)({ name, mode: 'exclusive' })) : request(name, ...rest));
})()`;

/**
 * Body of a function in a page of any engine: the queue of the user that it is given, as it lies on
 * the device.
 */
export const QUEUE = `
const [uid] = given;
const db = await new Promise((resolve, reject) => {
  const request = indexedDB.open('tradewind-' + uid);
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const all = await new Promise((resolve, reject) => {
  const request = db.transaction('outbox').objectStore('outbox').getAll();
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
db.close();
return all.map(({ commandId, intent }) => ({ commandId, intent }));
`;
