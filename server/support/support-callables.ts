/** The hosted functions about a user's own support requests. */
import { permissionsOf, permits } from '../../contract/tiers.ts';
import type { SupportRequests } from '../../contract/support.ts';
import type { Entitlement } from '../billing/entitlement.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { callablesFor } from '../http/callables.ts';
import { addToRequest, closeOwn, openRequest, ownRequests } from './requests.ts';

export interface SupportDeps {
  database: Database;
  clock: WallClock;
  entitlement: Entitlement;
}

export function supportCallables({ database, clock, entitlement }: SupportDeps) {
  const hasPriority = async (uid: string, tx: Tx): Promise<boolean> =>
    permits(permissionsOf((await entitlement.tierOf(uid, tx)).tier), 'priority-support', 'access');
  const after = (
    uid: string,
    work: (tx: Tx, priority: boolean) => Promise<void>,
  ): Promise<SupportRequests> =>
    database.transaction(async (tx) => {
      const priority = await hasPriority(uid, tx);
      await work(tx, priority);
      return { requests: await ownRequests(tx.db, uid), priority };
    });
  return callablesFor({
    supportRequests: ({ uid }) => after(uid, () => Promise.resolve()),
    openSupportRequest: ({ uid }, asked) =>
      after(uid, (tx, priority) => openRequest(tx, uid, asked, priority, clock.now())),
    addToSupportRequest: ({ uid }, added) =>
      after(uid, (tx) => addToRequest(tx, uid, added, clock.now())),
    closeSupportRequest: ({ uid }, { requestId }) =>
      after(uid, (tx) => closeOwn(tx, uid, requestId, clock.now())),
  });
}
