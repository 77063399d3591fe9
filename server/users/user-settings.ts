/** A user's trading settings and risk values for the rest of the server. */
import { and, eq, inArray } from 'drizzle-orm';
import type { RiskProfile } from '../../contract/agents.ts';
import { DisplayName, UserSettings, type RiskProfileBody } from '../../contract/user.ts';
import { riskValues, type OwnRiskValues } from '../../engine/execution/risk-profiles.ts';
import type { RiskValues } from '../../engine/execution/agent-types.ts';
import type { Db } from '../db/database.ts';
import { riskProfiles, users } from '../db/schema.ts';

export interface VersionedSettings {
  settings: UserSettings;
  /** Grows with every change; an edit made on another one is refused. */
  version: number;
}

const FALLBACK_NAME = 'Trader';
const NAME_MAX = 50;

/**
 * The local part of an e-mail address, made fit for a display name (R5-12); 'Trader' where nothing
 * fit is left.
 */
export function displayNameFrom(email: string | null): string {
  const local = (email ?? '').split('@')[0] ?? '';
  const clean = local
    .replace(/[^\p{L}\p{N}\s_-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  // By whole characters, because half of one is none.
  let name = '';
  for (const character of clean) if (name.length + character.length <= NAME_MAX) name += character;
  const parsed = DisplayName.safeParse(name.trim());
  return parsed.success ? parsed.data : FALLBACK_NAME;
}

/**
 * What a new person starts with. `maxTradeAmount` is the whole opening deposit of a paper account:
 * a cap that does not bind.
 */
export function defaultSettings(displayName: string): UserSettings {
  return {
    displayName,
    tradingEnabled: true,
    tradingMode: 'automatic',
    tradingFrequency: 'optimized',
    riskProfile: 'moderate',
    maxTradeAmount: 10_000,
    notificationsEnabled: true,
  };
}

/**
 * The person's settings. A stored value that no longer parses is replaced by its default, field by
 * field, except that trading then stays off: a setting that cannot be read must not open anything.
 * @throws Error when there is no such user.
 */
export async function readSettings(db: Db, uid: string): Promise<VersionedSettings> {
  const [row] = await db
    .select({ settings: users.settings, version: users.settingsVersion })
    .from(users)
    .where(eq(users.uid, uid));
  if (row === undefined) throw new Error('No such user');
  return { settings: parseSettings(row.settings), version: row.version };
}

/** The settings of many people; whoever is not there is left out. */
export async function readSettingsOf(
  db: Db,
  uids: readonly string[],
): Promise<Map<string, UserSettings>> {
  const rows = await db
    .select({ uid: users.uid, settings: users.settings })
    .from(users)
    .where(inArray(users.uid, [...uids]));
  return new Map(rows.map((row) => [row.uid, parseSettings(row.settings)]));
}

function parseSettings(stored: unknown): UserSettings {
  const parsed = UserSettings.safeParse(stored);
  return parsed.success ? parsed.data : repaired(stored);
}

function repaired(stored: unknown): UserSettings {
  const settings: Record<string, unknown> = { ...defaultSettings(FALLBACK_NAME) };
  const known =
    typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  for (const [name, schema] of Object.entries(UserSettings.shape)) {
    const field = schema.safeParse(known[name]);
    if (field.success) settings[name] = field.data;
  }
  return UserSettings.parse({ ...settings, tradingEnabled: false });
}

/** The person's own percentages, one entry for each profile they have changed. */
export async function readRiskProfiles(db: Db, uid: string): Promise<RiskProfileBody[]> {
  const rows = await db
    .select()
    .from(riskProfiles)
    .where(eq(riskProfiles.uid, uid))
    .orderBy(riskProfiles.profile);
  return rows.map((row) => ({
    profile: row.profile as RiskProfile,
    max_position_percentage: Number(row.maxPositionPercentage),
    confidence_threshold: Number(row.confidenceThreshold),
    stop_loss_percentage: Number(row.stopLossPercentage),
  }));
}

/**
 * The numbers behind a profile, the person's own on top of the table. Percentages become fractions
 * here (5 → 0.05).
 */
export async function riskValuesFor(
  db: Db,
  uid: string,
  profile: RiskProfile,
): Promise<RiskValues> {
  const [own] = await db
    .select()
    .from(riskProfiles)
    .where(and(eq(riskProfiles.uid, uid), eq(riskProfiles.profile, profile)));
  return riskValues(profile, own === undefined ? null : ownValues(own));
}

/**
 * The own percentages of many people: `get(uid)?.get(profile)`, for `riskValues` to put on top of
 * the table.
 */
export async function readOwnRiskOf(
  db: Db,
  uids: readonly string[],
): Promise<Map<string, Map<string, OwnRiskValues>>> {
  const rows = await db
    .select()
    .from(riskProfiles)
    .where(inArray(riskProfiles.uid, [...uids]));
  const found = new Map<string, Map<string, OwnRiskValues>>();
  for (const row of rows)
    found.set(
      row.uid,
      (found.get(row.uid) ?? new Map<string, OwnRiskValues>()).set(row.profile, ownValues(row)),
    );
  return found;
}

function ownValues(row: typeof riskProfiles.$inferSelect): OwnRiskValues {
  return {
    maxPositionPercentage: Number(row.maxPositionPercentage),
    confidenceThreshold: Number(row.confidenceThreshold),
    stopLossPercentage: Number(row.stopLossPercentage),
  };
}
