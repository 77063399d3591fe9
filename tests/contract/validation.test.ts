/** The wire's bodies at and beyond every stated limit. */
import fc from '../support/property.ts';
import { describe, expect, it } from 'vitest';
import {
  AgentCreateBody,
  AgentSettingsBody,
  Pair,
  PoolCreateBody,
  ReconfigureBody,
} from '../../contract/agents.ts';
import { sanitise, sanitiseErrorText, sanitiseIdentifier } from '../../contract/text.ts';
import { RiskProfileBody, UserSettings } from '../../contract/user.ts';

const agent = {
  name: 'Alpha',
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 500,
  execution_interval: '5-minute',
  enabled: true,
};
const settings = {
  risk_profile: 'Moderate',
  max_position_size: 500,
  execution_interval: 'daily',
  enabled: false,
};
const risk = {
  profile: 'Aggressive',
  max_position_percentage: 10,
  confidence_threshold: 0.5,
  stop_loss_percentage: 5,
};
const user = {
  displayName: 'Ada',
  tradingEnabled: true,
  tradingMode: 'automatic',
  tradingFrequency: 'optimized',
  riskProfile: 'moderate',
  maxTradeAmount: 1000,
  notificationsEnabled: false,
};

type Schema = {
  safeParse(value: unknown): { success: boolean; error?: { issues: { path: PropertyKey[] }[] } };
};

/** Accepts every good value of a field, refuses every bad one, and names the field. */
function holds(
  schema: Schema,
  valid: Record<string, unknown>,
  field: string,
  good: unknown[],
  bad: unknown[],
) {
  for (const value of good)
    expect(
      schema.safeParse({ ...valid, [field]: value }).success,
      `${field} = ${JSON.stringify(value)}`,
    ).toBe(true);
  for (const value of [...bad, undefined, null, [{}]]) {
    const result = schema.safeParse({ ...valid, [field]: value });
    expect(result.success, `${field} = ${String(value).slice(0, 40)}`).toBe(false);
    expect(result.error?.issues[0]?.path[0]).toBe(field);
  }
}

const NOT_NUMBERS = ['5', Number.NaN, Number.POSITIVE_INFINITY, true];
const NAMES_BAD = ['', '   ', 'a<b', 'semi;colon', 'dot.', 'a/b', '💥', 7];
const FREQUENCIES = ['daily', 'weekly', 'bi-weekly', 'monthly', 'optimized', 'high', 'long-haul'];

describe('agent creation', () => {
  it('takes exactly the fields of the creation payload, the pool and the frequency being optional additions (R3-01)', () => {
    expect(AgentCreateBody.safeParse(agent).success).toBe(true);
    expect(
      AgentCreateBody.safeParse({ ...agent, pool: 'weekly_leaders', trading_frequency: 'weekly' })
        .success,
    ).toBe(true);
    expect(AgentCreateBody.safeParse({ ...agent, pool: 'moon' }).success).toBe(false);
    expect(AgentCreateBody.safeParse({ ...agent, leverage: 5 }).success).toBe(false);
    for (const field of Object.keys(agent))
      expect(AgentCreateBody.safeParse({ ...agent, [field]: undefined }).success, field).toBe(
        false,
      );
  });

  it('takes names of 1 to 100 letters, digits, whitespace, hyphens and underscores (R5-01, R9-04)', () => {
    holds(
      AgentCreateBody,
      agent,
      'name',
      ['a', 'x'.repeat(100), 'My agent-1_b', 'Zoë 2', '0'],
      [...NAMES_BAD, 'x'.repeat(101)],
    );
  });

  it('takes at most 20 pairs of 2 to 10 capital letters each side (R5-02, R9-04)', () => {
    const pairs = (n: number) =>
      Array.from({ length: n }, (_, i) => `A${String.fromCharCode(65 + i)}/USDT`);
    holds(
      AgentCreateBody,
      agent,
      'trading_pairs',
      [[], ['AB/CD'], ['ABCDEFGHIJ/ABCDEFGHIJ'], pairs(20)],
      [
        pairs(21),
        ['A/USDT'],
        ['BTC/U'],
        ['ABCDEFGHIJK/USDT'],
        ['BTC/ABCDEFGHIJK'],
        ['btc/USDT'],
        ['BTCUSDT'],
        ['BTC-USDT'],
        ['BTC/USDT/X'],
        ['BTC/USDT '],
        ['1INCH/USDT'],
        [''],
        [7],
        'BTC/USDT',
      ],
    );
  });

  it('never takes a pair that is not capitals, a slash and capitals (R5-02)', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 24 }),
        (text) =>
          Pair.safeParse(text).success === /^[A-Z]{2,10}\/[A-Z]{2,10}$/.test(text) &&
          !Pair.safeParse(`${text}\n`).success,
      ),
    );
  });

  it('takes the three risk profiles, capitalised (R5-03)', () => {
    holds(
      AgentCreateBody,
      agent,
      'risk_profile',
      ['Conservative', 'Moderate', 'Aggressive'],
      ['moderate', 'Reckless', '', 1],
    );
  });

  it('takes a position size from 1 to 1,000,000 (R5-04, R9-04)', () => {
    holds(
      AgentCreateBody,
      agent,
      'max_position_size',
      [1, 1.5, 1_000_000],
      [0.99, 0, -1, 1_000_000.01, ...NOT_NUMBERS],
    );
  });

  it('takes the three execution intervals (R5-05)', () => {
    holds(
      AgentCreateBody,
      agent,
      'execution_interval',
      ['5-minute', '20-minute', 'daily'],
      ['1-minute', 'hourly', 'Daily', 5],
    );
  });

  it('takes only true or false for enabled (R5-06)', () => {
    holds(AgentCreateBody, agent, 'enabled', [true, false], ['true', 0, 1]);
  });
});

describe('agent settings', () => {
  it('takes the settings payload and refuses what is not of it (R3-02)', () => {
    expect(AgentSettingsBody.safeParse(settings).success).toBe(true);
    expect(AgentSettingsBody.safeParse({ ...settings, version: 3 }).success).toBe(true);
    expect(AgentSettingsBody.safeParse({ ...settings, name: 'New name' }).success).toBe(false);
  });

  it('holds settings to the same rules as creation (R5-07)', () => {
    holds(
      AgentSettingsBody,
      settings,
      'risk_profile',
      ['Conservative', 'Moderate', 'Aggressive'],
      ['moderate', ''],
    );
    holds(
      AgentSettingsBody,
      settings,
      'max_position_size',
      [1, 1_000_000],
      [0.99, 1_000_000.01, ...NOT_NUMBERS],
    );
    holds(
      AgentSettingsBody,
      settings,
      'execution_interval',
      ['5-minute', '20-minute', 'daily'],
      ['weekly'],
    );
    holds(AgentSettingsBody, settings, 'enabled', [true, false], ['false', 0]);
  });
});

describe('risk profile update', () => {
  it('takes exactly the four fields of the payload (R3-03)', () => {
    expect(RiskProfileBody.safeParse(risk).success).toBe(true);
    expect(RiskProfileBody.safeParse({ ...risk, leverage: 2 }).success).toBe(false);
  });

  it('takes one of the three profiles (R5-08)', () => {
    holds(
      RiskProfileBody,
      risk,
      'profile',
      ['Conservative', 'Moderate', 'Aggressive'],
      ['aggressive', 'None'],
    );
  });

  it('takes a position percentage from 0.01 to 100 (R5-09)', () => {
    holds(
      RiskProfileBody,
      risk,
      'max_position_percentage',
      [0.01, 50, 100],
      [0.009, 0, -1, 100.01, ...NOT_NUMBERS],
    );
  });

  it('takes a confidence threshold from 0.1 to 1 (R5-10)', () => {
    holds(
      RiskProfileBody,
      risk,
      'confidence_threshold',
      [0.1, 0.55, 1],
      [0.099, 0, 1.001, 55, ...NOT_NUMBERS],
    );
  });

  it('takes a stop loss from 0.01 to 50 percent (R5-11)', () => {
    holds(
      RiskProfileBody,
      risk,
      'stop_loss_percentage',
      [0.01, 50],
      [0.009, 0, 50.01, ...NOT_NUMBERS],
    );
  });
});

describe('user settings', () => {
  it('takes the whole schema and refuses anything else (R3-04)', () => {
    expect(UserSettings.safeParse(user).success).toBe(true);
    expect(UserSettings.safeParse({ ...user, theme: 'dark' }).success).toBe(false);
    for (const field of Object.keys(user))
      expect(UserSettings.safeParse({ ...user, [field]: undefined }).success, field).toBe(false);
    holds(UserSettings, user, 'tradingEnabled', [true, false], ['true', 1]);
    holds(UserSettings, user, 'tradingMode', ['paused', 'automatic'], ['manual', '']);
    holds(UserSettings, user, 'notificationsEnabled', [true, false], ['false', 0]);
  });

  it('takes a display name of 1 to 50 of the same characters as a name (R5-12)', () => {
    holds(
      UserSettings,
      user,
      'displayName',
      ['a', 'x'.repeat(50), 'Ada L-1_b'],
      [...NAMES_BAD, 'x'.repeat(51)],
    );
  });

  it('takes the seven trading frequencies (R5-13)', () => {
    holds(UserSettings, user, 'tradingFrequency', FREQUENCIES, ['hourly', 'Daily', 'biweekly', '']);
    for (const frequency of FREQUENCIES)
      expect(
        ReconfigureBody.safeParse({ risk_profile: 'moderate', trading_frequency: frequency })
          .success,
      ).toBe(true);
  });

  it('takes risk profiles in lowercase (R5-14)', () => {
    holds(
      UserSettings,
      user,
      'riskProfile',
      ['conservative', 'moderate', 'aggressive'],
      ['Moderate', 'wild'],
    );
  });

  it('takes a largest trade from 1 to 1,000,000 (R5-15)', () => {
    holds(
      UserSettings,
      user,
      'maxTradeAmount',
      [1, 1_000_000],
      [0.99, 1_000_000.01, ...NOT_NUMBERS],
    );
  });
});

describe('agent pool', () => {
  it('takes tier, profile and frequency, moderate and optimized unless said otherwise (R3-08, R9-05)', () => {
    expect(PoolCreateBody.parse({ subscription_tier: 'trial' })).toEqual({
      subscription_tier: 'trial',
      risk_profile: 'moderate',
      trading_frequency: 'optimized',
    });
    expect(PoolCreateBody.safeParse({ subscription_tier: 'gold' }).success).toBe(false);
    expect(
      PoolCreateBody.safeParse({ subscription_tier: 'pro', risk_profile: 'Moderate' }).success,
    ).toBe(false);
  });
});

describe('sanitising', () => {
  it('removes < > " \' &, trims and cuts to 1000 characters, and says when nothing is left (R5-16, R9-07, F51)', () => {
    expect(sanitise(' <b>"a"&\'b\'</b> ')).toBe('bab/b');
    expect(sanitise('x'.repeat(1001))).toBe('x'.repeat(1000));
    expect(sanitiseIdentifier(' <>"\'& ')).toBeNull();
    expect(sanitiseIdentifier(' id-1 ')).toBe('id-1');
    fc.assert(
      fc.property(fc.string({ maxLength: 1200 }), (text) => {
        const clean = sanitise(text);
        return (
          !/[<>"'&]/.test(clean) &&
          clean.length <= 1000 &&
          sanitiseIdentifier(text) === (clean === '' ? null : clean)
        );
      }),
    );
  });

  it('cleans error text and cuts it to 200 characters, on one line (R5-17, R9-07)', () => {
    expect(sanitiseErrorText('<script>bad\nthing</script>')).toBe('scriptbad thing/script');
    expect(sanitiseErrorText('e'.repeat(300))).toHaveLength(200);
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => {
        const clean = sanitiseErrorText(text);
        // oxlint-disable-next-line no-control-regex -- that none is left is what is tested
        return clean.length <= 200 && !/[<>"'&\u0000-\u001f]/.test(clean);
      }),
    );
  });
});
