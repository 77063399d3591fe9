/** Exchange accounts have code of their own, which most people never need. */
import { samePerson } from '../identity/session.ts';
import { untilReached } from '../platform/load-part.ts';
import { log } from '../platform/page-log.ts';
import type * as LiveStore from './live-store.ts';

export function withLive(work: (live: typeof LiveStore) => unknown): void {
  const isSamePerson = samePerson();
  untilReached(() => import('./live-store.ts'))
    .then((live) => (isSamePerson() ? work(live) : undefined))
    .catch((error: unknown) => {
      log.error('Could not follow exchange accounts', error);
    });
}
