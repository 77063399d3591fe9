/** The real deletion of accounts, at a provider that forgets a person at once. */
import { FakePayments } from '../../server/billing/fake-provider/fake-payments.ts';
import { EndedSessions } from '../../server/identity/ended-sessions.ts';
import { Deletions } from '../../server/users/account-deletion.ts';
import type { Floor } from './trading.ts';

export function deletionsOf({ deps, database }: Pick<Floor, 'deps' | 'database'>): Deletions {
  const forgets = async (): Promise<void> => undefined;
  return new Deletions({
    trading: deps,
    payments: new FakePayments({ database, events: deps.events, clock: deps.clock }),
    administration: {
      revoke: forgets,
      remove: forgets,
      read: async () => null,
      validSince: async () => 0,
    },
    ended: new EndedSessions(),
  });
}
