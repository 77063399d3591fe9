/** A duplicate has every setting of its original, in every locale. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../../../contract/agents.ts';
import { checkDraft, previewOf } from '../../../../../src/screens/agents/create/agent-draft.ts';
import { copyOf } from '../../../../../src/screens/agents/detail/copy-draft.ts';
import { browserLocale, LOCALES, ownLocale } from '../../../../support/locale.ts';

const ORIGINAL = {
  id: 'one',
  name: 'Windward',
  trading_pairs: ['BTC/USDT', 'ETH/USDT'],
  ownPairs: [],
  risk_profile: 'Conservative',
  max_position_size: 250.125,
  execution_interval: '20-minute',
  pool: 'weekly_leaders',
  tradingFrequency: 'monthly',
} as unknown as Agent;

afterEach(ownLocale);

const bodyOf = (agent: Agent) => {
  const checked = checkDraft(copyOf(agent));
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  return checked.value;
};

describe('a duplicate', () => {
  it.each(LOCALES)('has the size of its original, in %s (R3-01)', (locale) => {
    browserLocale(locale);
    expect(bodyOf(ORIGINAL).max_position_size).toBe(250.125);
  });

  it('rebalances as often as its original, and is previewed like that', () => {
    expect(bodyOf(ORIGINAL).trading_frequency).toBe('monthly');
    expect(previewOf(copyOf(ORIGINAL))?.terms?.trading_frequency).toBe('monthly');
  });

  it('follows its pool’s list where its original does, and has its own pairs where it chose them', () => {
    expect(bodyOf(ORIGINAL).trading_pairs).toEqual([]);
    expect(bodyOf({ ...ORIGINAL, ownPairs: ['BTC/USDT'] }).trading_pairs).toEqual(['BTC/USDT']);
  });

  it('has the pairs that an older server lists', () => {
    expect(bodyOf({ ...ORIGINAL, ownPairs: undefined }).trading_pairs).toEqual([
      'BTC/USDT',
      'ETH/USDT',
    ]);
  });
});
