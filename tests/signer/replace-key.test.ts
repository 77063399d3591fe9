/**
 * A key is exchanged for another one of the same account, by the person's word for that very key.
 * Whoever has the server alone exchanges none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed, toNumber } from '../../contract/money.ts';
import { LiveExchange, type ApiKey, type StepUpToken } from '../../contract/signer.ts';
import { keyDigest } from '../../signer/replace-key.ts';
import { newOrderId } from '../support/signer/desk-world.ts';
import { ACCOUNT, openTheft, STARTED, type Theft } from '../support/signer/theft.ts';

let theft: Theft | null = null;
afterEach(async () => {
  await theft?.close();
  theft = null;
});

async function open(exchange: LiveExchange): Promise<Theft> {
  const quote = exchange === 'binance' ? 'USDT' : 'USD';
  const funds = { [quote]: '10000', BTC: '0.5', ETH: '3', BNB: '1' };
  theft = await openTheft(exchange, {
    accounts: [
      { name: ACCOUNT, balances: funds },
      { name: 'second', balances: funds },
    ],
  });
  return theft;
}

/** One order of the account is known: it shows whose a key is. */
async function traded(exchange: LiveExchange): Promise<Theft> {
  const one = await open(exchange);
  const clientOrderId = newOrderId();
  await one.ask({ act: 'place', intent: one.intent({ clientOrderId }) });
  const order = { clientOrderId, exchangeOrderId: null, symbol: one.pair, sinceMs: 0 };
  await one.ask({ act: 'look_up', connectionId: one.connectionId, order });
  return one;
}

/** With the person's word for it, unless another is given. */
const replace = (one: Theft, key: ApiKey, stepUp?: StepUpToken) => one.replaceKey(key, stepUp);

const stateOf = async ({ ask, connectionId }: Theft) => {
  const state = await ask({ act: 'state', connectionId });
  if (state.kind !== 'read') throw new Error(`The state cannot be read: ${state.kind}`);
  return state.value;
};
const reads = async ({ ask, connectionId }: Theft): Promise<boolean> =>
  (await ask({ act: 'balances', connectionId })).kind === 'read';

function revokeAllBut(one: Theft, kept: ApiKey | null): void {
  for (const { apiKey } of one.standIn.accounts.keysOf(ACCOUNT))
    if (apiKey !== kept?.apiKey) one.standIn.person.revokeKey(apiKey);
}

describe.each(LiveExchange.options)('at %s a new key', (exchange) => {
  it('of the same account takes the place of a revoked one, and all that is known stays', async () => {
    const one = await traded(exchange);
    const before = await stateOf(one);
    revokeAllBut(one, null);
    expect(await reads(one)).toBe(false);
    const key = one.standIn.issueKey(ACCOUNT);
    expect(await replace(one, key)).toMatchObject({ kind: 'read', value: { accepted: true } });
    expect(await reads(one)).toBe(true);
    const after = await stateOf(one);
    expect(after.exposure).toBeGreaterThan(0n);
    for (const field of ['limits', 'exposure', 'firstWeekUntilMs', 'agentsStarted'] as const)
      expect(after[field]).toEqual(before[field]);
    expect(after).toMatchObject({ faults: [], agentsStarted: [STARTED] });
  });

  it('of another account of the person is not taken, and the old one is still used', async () => {
    const one = await traded(exchange);
    const key = one.standIn.issueKey('second');
    const fault = exchange === 'coinbase' ? 'other_portfolio' : 'other_account';
    expect(await replace(one, key)).toMatchObject({
      kind: 'read',
      value: { accepted: false, faults: [fault], balances: [] },
    });
    one.standIn.person.revokeKey(key.apiKey);
    expect(await reads(one)).toBe(true);
  });

  it('that can withdraw is not taken', async () => {
    const one = await traded(exchange);
    const key = one.standIn.issueKey(ACCOUNT, { withdraw: true, transfer: true });
    const answer = await replace(one, key);
    expect(answer).toMatchObject({ kind: 'read', value: { accepted: false } });
    expect(await reads(one)).toBe(true);
  });

  it('without the person’s word for it takes no place', async () => {
    const one = await traded(exchange);
    const key = one.standIn.issueKey(ACCOUNT);
    const other = one.standIn.issueKey(ACCOUNT);
    const { device, statement, spent } = one;
    const without = statement({ purpose: 'replace_key', agentId: null });
    const used = one.agreedKey(other);
    expect(await replace(one, other, used)).toMatchObject({ value: { accepted: true } });
    for (const [token, code] of [
      [spent, 'step_up_invalid'],
      [device.agree(without), 'step_up_invalid'],
      [one.agreedKey(other), 'step_up_invalid'],
      [device.agree({ ...one.agreedKey(key).statement, issuedAtMs: 0 }), 'step_up_expired'],
      [device.agree({ ...used.statement, keyDigest: keyDigest(key) }), 'step_up_used'],
      [{ ...one.agreedKey(key), signature: 'AAAA' }, 'step_up_invalid'],
    ] as const)
      expect(await replace(one, key, token)).toMatchObject({ kind: 'refused', code });
    // The one that is kept is none of these.
    one.standIn.person.revokeKey(key.apiKey);
    expect(await reads(one)).toBe(true);
  });

  it('is not taken by a connecting either, which needs no word of the person', async () => {
    const one = await traded(exchange);
    const key = one.standIn.issueKey('second');
    expect(await one.connectAgain({ key })).toMatchObject({ kind: 'refused', code: 'other_key' });
    await one.ask({ act: 'disconnect', connectionId: one.connectionId });
    expect(await one.connectAgain({ key })).toMatchObject({ kind: 'refused', code: 'other_key' });
  });

  it('is taken once: the same request again is answered, and uses no other confirmation', async () => {
    const one = await traded(exchange);
    const key = one.standIn.issueKey(ACCOUNT);
    const token = one.agreedKey(key);
    await replace(one, key, token);
    expect(await replace(one, key, token)).toMatchObject({ value: { accepted: true } });
  });
});

describe('whose account a new key is', () => {
  it.each(['kraken', 'binance'] as const)(
    'cannot be told at %s before an order was placed: it is not taken',
    async (exchange) => {
      const one = await open(exchange);
      expect(await replace(one, one.standIn.issueKey(ACCOUNT))).toMatchObject({
        value: { accepted: false, faults: ['account_unproven'] },
      });
      expect(await reads(one)).toBe(true);
    },
  );

  it('is told at Coinbase by its portfolio, before any order', async () => {
    const one = await open('coinbase');
    expect(await replace(one, one.standIn.issueKey(ACCOUNT))).toMatchObject({
      value: { accepted: true },
    });
  });

  it('is told by an order that rests, where none was filled', async () => {
    const one = await open('kraken');
    const price = toNumber(one.standIn.prices.mid(one.pair)) * 0.99;
    const terms = { type: 'limit', limitPrice: parseFixed(price.toFixed(1)) } as const;
    const placed = await one.ask({ act: 'place', intent: one.intent(terms) });
    expect(placed.kind).toBe('confirmed');
    expect(await replace(one, one.standIn.issueKey('second'))).toMatchObject({
      value: { faults: ['other_account'] },
    });
    expect(await replace(one, one.standIn.issueKey(ACCOUNT))).toMatchObject({
      value: { accepted: true },
    });
  });

  it('stays open while the exchange does not answer: nothing is replaced, no confirmation used', async () => {
    const one = await traded('kraken');
    const key = one.standIn.issueKey(ACCOUNT);
    const token = one.agreedKey(key);
    one.standIn.faults.add({ name: 'garbage', when: { call: 'order', nth: 1 } });
    expect((await replace(one, key, token)).kind).toBe('unknown');
    expect(await replace(one, key, token)).toMatchObject({ value: { accepted: true } });
  });
});

describe('two who connect one id at the same moment', () => {
  it.each(['second', ACCOUNT])('leave the first key in place, also one of %s', async (account) => {
    const one = await open('kraken');
    const answers = await Promise.all([
      one.connectAgain({ connectionId: 'new', key: one.standIn.issueKey(ACCOUNT) }),
      one.connectAgain({ connectionId: 'new', key: one.standIn.issueKey(account) }),
    ]);
    const said = answers.map((answer) => ('code' in answer ? answer.code : answer.kind));
    // Whether the other one was asked about before the first was kept, or after it.
    expect(said).toContain('read');
    expect(said.some((code) => code === 'other_connection' || code === 'other_key')).toBe(true);
  });
});

describe('what is written of a replaced key', () => {
  it('is a line of the audit log, and neither key', async () => {
    const one = await traded('kraken');
    const key = one.standIn.issueKey(ACCOUNT);
    await replace(one, one.standIn.issueKey('second'));
    await replace(one, key);
    const read = (name: string): string => readFileSync(join(one.folder, name), 'utf8');
    const lines = read('audit.jsonl');
    expect(lines).toContain('"new key not taken"');
    expect(lines.match(/"key replaced"/g)).toHaveLength(1);
    const all = [
      lines,
      read('journal.jsonl'),
      ...readdirSync(join(one.folder, 'keys')).map((name) => read(join('keys', name))),
    ].join('\n');
    for (const secret of [key.apiKey, key.secret]) expect(all).not.toContain(secret);
  });
});
