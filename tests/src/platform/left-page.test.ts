// @vitest-environment happy-dom
/** What a page gives back when it is left, on a real IndexedDB implementation. */
import { IDBFactory } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import { letGoOfDatabases } from '../../../src/platform/left-page.ts';

const opened = (factory: IDBFactory, name: string): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = factory.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('users');
    };
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error('open failed'));
    };
  });

it('aborts what is under way in a page that is left, closes every connection, and lets them be opened again (F103)', async () => {
  const factory = new IDBFactory();
  const page = new EventTarget();
  letGoOfDatabases(factory, page);
  const [ours, theirs] = [await opened(factory, 'ours'), await opened(factory, 'theirs')];
  expect(ours.transaction('users').mode).toBe('readonly');
  const underWay = ours.transaction('users', 'readwrite');
  const ended = new Promise((resolve) => {
    underWay.onabort = () => {
      resolve('aborted');
    };
    underWay.oncomplete = () => {
      resolve('complete');
    };
  });
  underWay.objectStore('users').put('somebody', 'one');
  page.dispatchEvent(new Event('pagehide'));
  expect(await ended).toBe('aborted');
  for (const db of [ours, theirs]) expect(() => db.transaction('users')).toThrow();
  expect((await opened(factory, 'theirs')).transaction('users').mode).toBe('readonly');
});

it('aborts the making of a database in a page that is left: nobody could open it meanwhile (F103)', async () => {
  const factory = new IDBFactory();
  const page = new EventTarget();
  letGoOfDatabases(factory, page);
  const ended = new Promise((resolve) => {
    const request = factory.open('new', 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('users');
      page.dispatchEvent(new Event('pagehide'));
    };
    request.onsuccess = () => {
      resolve('made');
    };
    request.onerror = () => {
      resolve(request.error?.name);
    };
  });
  expect(await ended).toBe('AbortError');
  expect((await opened(factory, 'new')).transaction('users').mode).toBe('readonly');
});
