/** A person's row, settings and risk values on the server. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import fc from '../../support/property.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tier } from '../../../contract/permission.ts';
import { riskVersion } from '../../../contract/risk-version.ts';
import { RiskProfileBody, TradingSettingsBody, UserSettings } from '../../../contract/user.ts';
import { RISK_PROFILES } from '../../../engine/execution/risk-profiles.ts';
import { users } from '../../../server/db/schema.ts';
import { ensureUser } from '../../../server/users/ensure-user.ts';
import { userHandlers } from '../../../server/users/user-handlers.ts';
import {
  defaultSettings,
  displayNameFrom,
  readSettings,
  riskValuesFor,
} from '../../../server/users/user-settings.ts';
import { caller, openWorld, type World } from '../billing/world.ts';

let world: World;
let tier: Tier = 'standard';
let call: ReturnType<typeof caller>;

beforeAll(async () => {
  world = await openWorld();
  call = caller(
    world,
    userHandlers({
      ...world,
      entitlement: { tierOf: () => Promise.resolve({ tier, lapsed: false }) },
    }),
  );
});
afterAll(() => world.close());

describe('the first row of a person', () => {
  it('is made once, with settings that the contract accepts (R3-04)', async () => {
    const uid = randomUUID();
    const make = () =>
      world.database.transaction((tx) =>
        ensureUser(tx, { uid, email: 'jane.doe+x@example.com' }, world.clock),
      );
    expect(await make()).toBe(true);
    expect(await make()).toBe(false);
    const { settings, version } = await readSettings(world.database.db, uid);
    expect(UserSettings.parse(settings)).toEqual({
      displayName: 'jane doe x',
      tradingEnabled: true,
      tradingMode: 'automatic',
      tradingFrequency: 'optimized',
      riskProfile: 'moderate',
      maxTradeAmount: 10_000,
      notificationsEnabled: true,
    });
    expect(version).toBe(1);
  });

  it('takes over a changed address, and no missing one', async () => {
    const uid = randomUUID();
    const admit = (email: string | null) =>
      world.database.transaction((tx) => ensureUser(tx, { uid, email }, world.clock));
    const kept = async () =>
      (
        await world.database.db.select({ email: users.email }).from(users).where(eq(users.uid, uid))
      )[0]?.email;
    await admit(null);
    await admit('old@example.com');
    expect(await kept()).toBe('old@example.com');
    await admit('new@example.com');
    await admit(null);
    expect(await kept()).toBe('new@example.com');
  });

  it('knows whether the address is confirmed, which is not forgotten before it changes', async () => {
    const uid = randomUUID();
    const admit = async (email: string, emailVerified: boolean) => {
      await world.database.transaction((tx) =>
        ensureUser(tx, { uid, email, emailVerified }, world.clock),
      );
      const [row] = await world.database.db
        .select({ confirmed: users.emailVerified })
        .from(users)
        .where(eq(users.uid, uid));
      return row?.confirmed;
    };
    expect(await admit('a@example.com', false)).toBe(false);
    expect(await admit('a@example.com', true)).toBe(true);
    // An older token, on another server.
    expect(await admit('a@example.com', false)).toBe(true);
    expect(await admit('b@example.com', false)).toBe(false);
    // A row of a server that did not ask.
    await world.database.db.update(users).set({ emailVerified: null }).where(eq(users.uid, uid));
    expect(await admit('b@example.com', false)).toBe(false);
  });

  it('names a person by what their address allows, whatever the address is (R5-12)', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.emailAddress()),
        (email) => {
          expect(UserSettings.safeParse(defaultSettings(displayNameFrom(email))).success).toBe(
            true,
          );
        },
      ),
    );
    expect(displayNameFrom(null)).toBe('Trader');
    expect(displayNameFrom('"@example.com')).toBe('Trader');
    expect(displayNameFrom('zoë_m-1@example.com')).toBe('zoë_m-1');
  });
});

describe('trading settings', () => {
  const wanted = {
    ...defaultSettings('Ann'),
    tradingMode: 'paused' as const,
    maxTradeAmount: 250.5,
  };

  it('are read, changed for real and told to the other devices (R7-27, R3-04)', async () => {
    const uid = await world.person();
    const before = await call(uid, 'tradingSettings');
    const saved = await call(uid, 'updateTradingSettings', { ...wanted, version: before.version });
    expect(saved).toMatchObject({ settings: wanted, version: before.version + 1 });
    expect(await call(uid, 'tradingSettings')).toEqual({
      settings: wanted,
      version: before.version + 1,
      riskProfiles: [],
    });
    expect(await world.eventTypes(uid)).toEqual(['settings.changed']);
  });

  it('refuse an edit made on an older version, and hand over the fresh one (R7-27)', async () => {
    const uid = await world.person();
    await call(uid, 'updateTradingSettings', { ...wanted, version: 1 });
    await expect(
      call(uid, 'updateTradingSettings', { ...wanted, displayName: 'Other', version: 1 }),
    ).rejects.toMatchObject({
      code: 'settings_changed',
      status: 409,
      more: { details: { settings: wanted, version: 2 } },
    });
    expect((await call(uid, 'tradingSettings')).settings.displayName).toBe('Ann');
  });

  it('let exactly one of many edits on one version through', async () => {
    const uid = await world.person();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_unused, index) =>
        call(uid, 'updateTradingSettings', { ...wanted, displayName: `Edit ${index}`, version: 1 }),
      ),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect((await call(uid, 'tradingSettings')).version).toBe(2);
  });

  it('are the same edit when the same key comes twice', async () => {
    const uid = await world.person();
    const key = randomUUID();
    const first = await call(uid, 'updateTradingSettings', { ...wanted, version: 1 }, key);
    expect(await call(uid, 'updateTradingSettings', { ...wanted, version: 1 }, key)).toEqual(first);
    expect(first.version).toBe(2);
  });

  const bad: [string, Record<string, unknown>][] = [
    ['an empty name (R5-12)', { displayName: '' }],
    ['a name of 51 characters (R5-12)', { displayName: 'a'.repeat(51) }],
    ['markup in the name (R5-12)', { displayName: '<b>Ann</b>' }],
    ['an unknown frequency (R5-13)', { tradingFrequency: 'hourly' }],
    ['a capitalised profile (R5-14)', { riskProfile: 'Moderate' }],
    ['a trade amount under 1 (R5-15)', { maxTradeAmount: 0.99 }],
    ['a trade amount over 1,000,000 (R5-15)', { maxTradeAmount: 1_000_000.01 }],
    ['an unknown mode (R3-04)', { tradingMode: 'manual' }],
    ['a field it does not know', { admin: true }],
  ];
  it.each(bad)('refuse %s', (_title, change) => {
    expect(TradingSettingsBody.safeParse({ ...wanted, ...change }).success).toBe(false);
  });

  it('take every frequency and the ends of the range (R5-13, R5-15)', () => {
    for (const tradingFrequency of [
      'daily',
      'weekly',
      'bi-weekly',
      'monthly',
      'optimized',
      'high',
      'long-haul',
    ]) {
      for (const maxTradeAmount of [1, 1_000_000]) {
        expect(
          TradingSettingsBody.safeParse({ ...wanted, tradingFrequency, maxTradeAmount }).success,
        ).toBe(true);
      }
    }
  });

  it('that cannot be read any more keep what can be, with trading off', async () => {
    const uid = await world.person();
    await world.database.db
      .update(users)
      .set({ settings: { ...wanted, riskProfile: 'reckless' } })
      .where(eq(users.uid, uid));
    expect((await readSettings(world.database.db, uid)).settings).toEqual({
      ...wanted,
      riskProfile: 'moderate',
      tradingEnabled: false,
    });
  });
});

describe('own risk values', () => {
  const own: RiskProfileBody = {
    profile: 'Moderate',
    max_position_percentage: 12.5,
    confidence_threshold: 0.6,
    stop_loss_percentage: 4,
  };

  it('win over the table for that profile alone, and are saved over (R7-22, R3-03)', async () => {
    tier = 'standard';
    const uid = await world.person();
    const { db } = world.database;
    expect(await riskValuesFor(db, uid, 'Moderate')).toEqual(RISK_PROFILES.Moderate);
    await call(uid, 'riskProfile', { ...own, stop_loss_percentage: 9 });
    expect((await call(uid, 'riskProfile', own)).profile).toEqual(own);
    expect(await riskValuesFor(db, uid, 'Moderate')).toEqual({
      ...RISK_PROFILES.Moderate,
      maxPosition: 0.125,
      threshold: 0.6,
      stopLoss: 0.04,
    });
    expect(await riskValuesFor(db, uid, 'Aggressive')).toEqual(RISK_PROFILES.Aggressive);
    expect((await call(uid, 'tradingSettings')).riskProfiles).toEqual([own]);
    expect(await world.eventTypes(uid)).toEqual(['settings.changed', 'settings.changed']);
  });

  describe('saved on a version', () => {
    const asSeen = (seen: RiskProfileBody | undefined) => ({ version: riskVersion(seen) });
    const save = (uid: string, body: RiskProfileBody, seen: RiskProfileBody | undefined) =>
      call(uid, 'riskProfile', body, randomUUID(), asSeen(seen));
    const kept = async (uid: string) => (await call(uid, 'tradingSettings')).riskProfiles;

    it('are refused where another device has saved since, with what it saved (R7-22, R3-03)', async () => {
      const uid = await world.person();
      await save(uid, own, undefined);
      const elsewhere = { ...own, stop_loss_percentage: 2 };
      await save(uid, elsewhere, own);
      await expect(save(uid, { ...own, max_position_percentage: 8 }, own)).rejects.toMatchObject({
        code: 'settings_changed',
        status: 409,
        more: { details: { profile: elsewhere } },
      });
      expect(await kept(uid)).toEqual([elsewhere]);
    });

    it('are refused where another device has gone back to the presets, or left them', async () => {
      const uid = await world.person();
      await save(uid, own, undefined);
      await expect(save(uid, { ...own, stop_loss_percentage: 3 }, undefined)).rejects.toMatchObject(
        { code: 'settings_changed', more: { details: { profile: own } } },
      );
      await call(uid, 'usePresets', { profile: 'Moderate' });
      await expect(save(uid, { ...own, stop_loss_percentage: 3 }, own)).rejects.toMatchObject({
        code: 'settings_changed',
        more: { details: { profile: null } },
      });
      expect(await kept(uid)).toEqual([]);
    });

    it('count as saved where the server has them already, as after a lost answer', async () => {
      const uid = await world.person();
      await save(uid, own, undefined);
      expect((await save(uid, own, undefined)).profile).toEqual(own);
    });

    it('do not stand in the way of another profile, nor of a build that sends no version', async () => {
      const uid = await world.person();
      await save(uid, own, undefined);
      const aggressive = { ...own, profile: 'Aggressive' as const };
      await save(uid, aggressive, undefined);
      await call(uid, 'riskProfile', { ...own, stop_loss_percentage: 9 });
      expect(await kept(uid)).toEqual([aggressive, { ...own, stop_loss_percentage: 9 }]);
    });

    it('let exactly one of many edits on one version through', async () => {
      const uid = await world.person();
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_unused, index) =>
          save(uid, { ...own, stop_loss_percentage: index + 1 }, undefined),
        ),
      );
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    });
  });

  it('need the standard plan or a trial', async () => {
    const uid = await world.person();
    for (const [held, allowed] of [
      ['free', false],
      ['starter', false],
      ['standard', true],
      ['trial', true],
      ['pro', true],
      ['pro-max', true],
    ] as const) {
      tier = held;
      const asked = call(uid, 'riskProfile', own);
      if (allowed) await expect(asked).resolves.toMatchObject({ profile: own });
      else
        await expect(asked).rejects.toMatchObject({
          code: 'insufficient_permissions',
          status: 403,
        });
    }
    tier = 'standard';
  });

  it('stay in effect on a smaller plan, where they can be removed but not changed', async () => {
    const uid = await world.person();
    const { db } = world.database;
    tier = 'standard';
    await call(uid, 'riskProfile', own);
    await call(uid, 'riskProfile', { ...own, profile: 'Aggressive' });
    for (const held of ['free', 'starter'] as const) {
      tier = held;
      expect((await call(uid, 'tradingSettings')).riskProfiles).toHaveLength(2);
      expect((await riskValuesFor(db, uid, 'Moderate')).stopLoss).toBe(0.04);
    }
    expect(await call(uid, 'usePresets', { profile: 'Moderate' })).toMatchObject({
      profile: 'Moderate',
    });
    expect(await riskValuesFor(db, uid, 'Moderate')).toEqual(RISK_PROFILES.Moderate);
    expect((await riskValuesFor(db, uid, 'Aggressive')).stopLoss).toBe(0.04);
    expect((await world.eventTypes(uid)).at(-1)).toBe('settings.changed');
    tier = 'standard';
  });

  const edges: [string, keyof RiskProfileBody, number, number, number, number][] = [
    ['max_position_percentage (R5-09)', 'max_position_percentage', 0.01, 100, 0.009, 100.01],
    ['confidence_threshold (R5-10)', 'confidence_threshold', 0.1, 1, 0.099, 1.001],
    ['stop_loss_percentage (R5-11)', 'stop_loss_percentage', 0.01, 50, 0.009, 50.01],
  ];
  it.each(edges)('have bounds that hold for %s', (_title, field, low, high, under, over) => {
    for (const good of [low, high])
      expect(RiskProfileBody.safeParse({ ...own, [field]: good }).success).toBe(true);
    for (const wrong of [under, over, Number.NaN, Infinity, '5', null])
      expect(RiskProfileBody.safeParse({ ...own, [field]: wrong }).success).toBe(false);
  });

  it('know three profiles (R5-08)', () => {
    expect(
      ['Conservative', 'Moderate', 'Aggressive', 'moderate', 'Wild'].map(
        (profile) => RiskProfileBody.safeParse({ ...own, profile }).success,
      ),
    ).toEqual([true, true, true, false, false]);
  });
});
