/** The hosted functions about a user's own account. Deletion needs a fresh login. */
import { RECENT_SIGN_IN_MS } from '../../contract/account.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Database } from '../db/database.ts';
import { Allowance } from '../http/allowance.ts';
import { callablesFor } from '../http/callables.ts';
import { removeDevices } from '../push/push-devices.ts';
import type { Turn } from '../reads/known-facts.ts';
import type { Deletions } from './account-deletion.ts';
import { deletionPreview, type DeletionDeps } from './account-deletion.ts';
import { exportSignIn, exportStored } from './account-export.ts';

const HOUR_MS = 3_600_000;
const SIGN_OUTS_AN_HOUR = 10;

/** `reads`: the lane of reads, and the queue of heavy ones, in which an export's pages wait. */
export function accountCallables(
  deps: DeletionDeps,
  deletions: Deletions,
  reads: { database: Database; turn: Turn },
) {
  const {
    trading: { database, clock },
    administration,
    ended,
  } = deps;
  const signOuts = new Allowance(SIGN_OUTS_AN_HOUR, HOUR_MS, clock);
  return callablesFor({
    signOutEverywhere: async ({ uid }) => {
      signOuts.take(uid);
      await administration.revoke(uid);
      await ended.end(uid);
      // Only now: until every server has forgotten the old tokens, a device could register again.
      await database.transaction((tx) => removeDevices(tx, uid, null));
      return {};
    },
    exportPage: async ({ uid }, { part, after }) =>
      part === 'signIn'
        ? exportSignIn(await administration.read(uid))
        : reads.turn(uid, () => exportStored(reads.database.db, uid, part, after)),
    deletionPreview: ({ uid }) => deletionPreview(reads.database.db, uid, clock.now()),
    deleteAccount: async ({ uid, authTimeMs }) => {
      if (authTimeMs === undefined || clock.now() - authTimeMs > RECENT_SIGN_IN_MS) {
        throw new Refusal(
          'recent_sign_in_required',
          'Please log in again first: your last login was more than five minutes ago.',
        );
      }
      return { state: await deletions.ask(uid) };
    },
  });
}
