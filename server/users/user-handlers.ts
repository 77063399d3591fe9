/** Handlers of the calls about a user's settings. An edit of an outdated version is rejected. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { fixedFromNumber, formatFixed } from '../../contract/money.ts';
import { tierPermitsCall } from '../../contract/calls.ts';
import { riskVersion } from '../../contract/risk-version.ts';
import type { RiskProfileBody, TradingSettingsBody } from '../../contract/user.ts';
import type { Entitlement } from '../billing/entitlement.ts';
import type { Database, Tx } from '../db/database.ts';
import { accounts, riskProfiles, users } from '../db/schema.ts';
import type { EventLog } from '../db/user-events.ts';
import { handlersFor } from '../http/handlers.ts';
import { readRiskProfiles, readSettings } from './user-settings.ts';

export interface UserDeps {
  database: Database;
  events: EventLog;
  entitlement: Entitlement;
  /** Nothing is bought any more: what was decided at an exchange and has not left is taken back. */
  takeBackPurchases?: (tx: Tx, uid: string) => Promise<void>;
}

export function userHandlers(deps: UserDeps) {
  const { database, events, entitlement } = deps;
  return handlersFor({
    tradingSettings: async ({ caller }) => ({
      ...(await readSettings(database.db, caller.uid)),
      riskProfiles: await readRiskProfiles(database.db, caller.uid),
    }),

    updateTradingSettings: ({ caller, commandId, body, once }) =>
      once(async (tx) => {
        const { version: seen, ...settings } = body;
        const version = await writeSettings(tx, caller.uid, settings, seen);
        if (!settings.tradingEnabled || settings.tradingMode === 'paused')
          await deps.takeBackPurchases?.(tx, caller.uid);
        await events.append(tx, caller.uid, [{ type: 'settings.changed' }]);
        return { commandId, settings, version };
      }),

    riskProfile: ({ caller, commandId, query, body, once }) =>
      once(async (tx) => {
        const { tier } = await entitlement.tierOf(caller.uid, tx);
        if (!tierPermitsCall(tier, 'riskProfile')) {
          throw new Refusal(
            'insufficient_permissions',
            'Insufficient permissions: you need the Standard plan to set your own risk limits.',
          );
        }
        await holdTrading(tx, caller.uid);
        await refuseOutdated(tx, caller.uid, body, query.version);
        await writeRiskProfile(tx, caller.uid, body);
        await events.append(tx, caller.uid, [{ type: 'settings.changed' }]);
        return { commandId, profile: body };
      }),

    usePresets: ({ caller, commandId, body: { profile }, once }) =>
      once(async (tx) => {
        await holdTrading(tx, caller.uid);
        await tx.db
          .delete(riskProfiles)
          .where(and(eq(riskProfiles.uid, caller.uid), eq(riskProfiles.profile, profile)));
        await events.append(tx, caller.uid, [{ type: 'settings.changed' }]);
        return { commandId, profile };
      }),
  });
}

/**
 * Agents that trade now hold the book and have read the settings before these: they are waited for,
 * so that what is set here counts for every purchase from here on. Edits wait for each other, also
 * those of a person without an account.
 */
async function holdTrading(tx: Tx, uid: string): Promise<void> {
  await tx.db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.uid, uid), isNull(accounts.closedAt)))
    .orderBy(accounts.id)
    .for('update');
  await tx.db.select({ uid: users.uid }).from(users).where(eq(users.uid, uid)).for('update');
}

async function writeSettings(
  tx: Tx,
  uid: string,
  settings: Omit<TradingSettingsBody, 'version'>,
  seen: number | undefined,
): Promise<number> {
  const mine = eq(users.uid, uid);
  await holdTrading(tx, uid);
  const [row] = await tx.db
    .update(users)
    .set({ settings, settingsVersion: sql`${users.settingsVersion} + 1` })
    .where(seen === undefined ? mine : and(mine, eq(users.settingsVersion, seen)))
    .returning({ version: users.settingsVersion });
  if (row !== undefined) return row.version;
  const fresh = await readSettings(tx.db, uid);
  throw new Refusal(
    'settings_changed',
    'Your settings were changed elsewhere in the meantime. Compare both versions and save again.',
    {
      details: { settings: fresh.settings, version: fresh.version },
    },
  );
}

/** Values that the server has already are no conflict: a request whose answer was lost saved them. */
async function refuseOutdated(
  tx: Tx,
  uid: string,
  body: RiskProfileBody,
  seen: string | undefined,
): Promise<void> {
  if (seen === undefined) return;
  const own = await readRiskProfiles(tx.db, uid);
  const present = own.find(({ profile }) => profile === body.profile);
  if ([seen, riskVersion(body)].includes(riskVersion(present))) return;
  throw new Refusal(
    'settings_changed',
    'Your risk values were changed elsewhere in the meantime. Compare both and save again.',
    { details: { profile: present ?? null } },
  );
}

async function writeRiskProfile(tx: Tx, uid: string, body: RiskProfileBody): Promise<void> {
  const values = {
    maxPositionPercentage: formatFixed(fixedFromNumber(body.max_position_percentage)),
    confidenceThreshold: formatFixed(fixedFromNumber(body.confidence_threshold)),
    stopLossPercentage: formatFixed(fixedFromNumber(body.stop_loss_percentage)),
  };
  await tx.db
    .insert(riskProfiles)
    .values({ uid, profile: body.profile, ...values })
    .onConflictDoUpdate({ target: [riskProfiles.uid, riskProfiles.profile], set: values });
}
