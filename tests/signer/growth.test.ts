/** What is asked over and over fills no disk: the files grow by what changes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CountedRefusals } from '../../signer/counted-refusals.ts';
import {
  limitsOf,
  openDeskWorld,
  stepUpDevice,
  type DeskWorld,
} from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';

let world: DeskWorld | null = null;
afterEach(async () => {
  await world?.remove();
  world = null;
});

async function connected() {
  const device = stepUpDevice();
  const answers = { isGone: false };
  world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => {
      const fine = krakenAnswers({}, () => clock.now());
      return (asked) =>
        answers.isGone && asked.path.includes('/private/')
          ? { body: { error: ['EAPI:Invalid key'] } }
          : fine(asked);
    },
    stepUpKeys: [device.key],
  });
  await world.connect();
  return { ...world, answers };
}

const linesOf = ({ folder }: DeskWorld, name: string): string[] =>
  readFileSync(join(folder, name), 'utf8').trim().split('\n');
const written = (one: DeskWorld): number =>
  linesOf(one, 'journal.jsonl').length + linesOf(one, 'audit.jsonl').length;

/** Sold again every ten seconds, as the server does with a refused exit. */
async function refusedSales(one: DeskWorld, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    const sale = one.intent({ side: 'sell', type: 'market', limitPrice: null });
    expect(await one.desk.answer({ act: 'place', intent: sale })).toMatchObject({
      code: 'not_held',
    });
    one.clock.at += 10_000;
  }
}

describe('the files', () => {
  it('do not grow by an agent that is ended again, or was never started', async () => {
    const one = await connected();
    const before = written(one);
    for (const agentId of ['agent-1', 'agent-2', 'agent-1'])
      expect(
        await one.desk.answer({ act: 'end_agent', connectionId: 'connection-1', agentId }),
      ).toEqual({ kind: 'done' });
    expect(written(one)).toBe(before);
  });

  it('do not grow by a key that is read again and is as it was, also one that is gone', async () => {
    const one = await connected();
    const readAgain = async (): Promise<void> => {
      one.clock.at += 10 * 60_000;
      await one.desk.answer({ act: 'recheck', connectionId: 'connection-1' });
    };
    await readAgain();
    const before = written(one);
    for (let turn = 0; turn < 20; turn += 1) await readAgain();
    expect(written(one)).toBe(before);
    one.answers.isGone = true;
    await readAgain();
    expect(written(one)).toBe(before + 2);
    for (let turn = 0; turn < 20; turn += 1) await readAgain();
    expect(written(one)).toBe(before + 2);
    expect(await one.desk.answer({ act: 'state', connectionId: 'connection-1' })).toMatchObject({
      value: { faults: ['invalid_key'], permissionsReadAtMs: one.clock.at },
    });
  });

  it('do not grow by the same limits again', async () => {
    const one = await connected();
    const set = (limits: ReturnType<typeof limitsOf>) =>
      one.desk.answer({ act: 'set_limits', connectionId: 'connection-1', limits, stepUp: null });
    expect(await set(limitsOf('50', '500', '25'))).toEqual({ kind: 'done' });
    const before = written(one);
    expect(await set(limitsOf('50', '500', '25'))).toEqual({ kind: 'done' });
    expect(written(one)).toBe(before);
  });

  /** Down by 1 of the digits behind the point each time, all on one day. */
  async function lowerOften(one: DeskWorld, times: number): Promise<string[]> {
    const codes: string[] = [];
    for (let turn = 1; turn <= times; turn += 1) {
      const limits = limitsOf((100 - turn / 1e6).toFixed(6), '500', '25');
      const answer = await setLimits(one, limits);
      codes.push(answer.kind === 'refused' ? (answer.code ?? '') : answer.kind);
      one.clock.at += 1_000;
    }
    return codes;
  }
  const setLimits = (one: DeskWorld, limits: ReturnType<typeof limitsOf>) =>
    one.desk.answer({
      act: 'set_limits',
      connectionId: 'connection-1',
      limits,
      stepUp: null,
    }) as Promise<{ kind: string; code?: string }>;

  it('do not grow by limits that are lowered digit by digit, and a person can always lower theirs', async () => {
    const one = await connected();
    const before = written(one);
    const codes = await lowerOften(one, 500);
    expect(written(one) - before).toBeLessThanOrEqual(2 * 20);
    expect(codes[0]).toBe('done');
    expect(codes.at(-1)).toBe('too_many_changes');
    // To a half of one of them or less, down to nothing.
    for (const limits of [limitsOf('40', '500', '25'), limitsOf('40', '0', '0')])
      expect(await setLimits(one, limits)).toEqual({ kind: 'done' });
    expect(await setLimits(one, limitsOf('39', '0', '0'))).toMatchObject({
      code: 'too_many_changes',
    });
    one.clock.at += 3_600_000;
    expect(await setLimits(one, limitsOf('39', '0', '0'))).toEqual({ kind: 'done' });
  });

  it('do not grow by starting the signer again after limits were lowered often', async () => {
    const one = await connected();
    await lowerOften(one, 30);
    await one.close();
    world = await openDeskWorld({
      key: KRAKEN_KEY,
      answers: (clock) => krakenAnswers({}, () => clock.now()),
      folder: one.folder,
      clock: one.clock,
    });
    const before = written(world);
    expect(await setLimits(world, limitsOf('98', '500', '25'))).toMatchObject({
      code: 'too_many_changes',
    });
    expect(written(world)).toBe(before);
  });

  it('name a sale that is refused again and again once, and then count it by the hour', async () => {
    const one = await connected();
    const before = written(one);
    await refusedSales(one, 360);
    expect(written(one)).toBe(before + 1);
    await refusedSales(one, 2);
    const last = JSON.parse(linesOf(one, 'audit.jsonl').at(-1) ?? '') as unknown;
    expect(written(one)).toBe(before + 2);
    expect(last).toMatchObject({
      what: 'order refused',
      about: { code: 'not_held', side: 'sell', symbol: 'BTC/USD', times: 359 },
    });
  });

  it('count steps up that are refused', async () => {
    const one = await connected();
    const before = written(one);
    for (let turn = 0; turn < 50; turn += 1)
      expect(
        await one.desk.answer({
          act: 'set_limits',
          connectionId: 'connection-1',
          limits: limitsOf('1000', '5000', '250'),
          stepUp: null,
        }),
      ).toMatchObject({ code: 'step_up_needed' });
    expect(written(one)).toBe(before + 1);
  });
});

describe('refusals', () => {
  it('of which each is another one are counted together beyond a number an hour', () => {
    let atMs = 0;
    const lines: Record<string, unknown>[] = [];
    const refusals = new CountedRefusals(
      { write: (_who, _what, about) => lines.push(about) },
      () => atMs,
    );
    for (let turn = 0; turn < 10_000; turn += 1) {
      refusals.note('order refused', { agentId: `agent-${turn}`, code: 'not_held' });
      atMs += 10;
    }
    expect(lines.length).toBeLessThan(300);
    atMs += 60 * 60_000;
    refusals.note('order refused', { agentId: 'agent-9999', code: 'not_held' });
    const told = lines.reduce((sum, { times }) => sum + (typeof times === 'number' ? times : 1), 0);
    expect(told).toBe(10_001);
  });

  it('are told again where the clock was set back', () => {
    let atMs = 10_000_000;
    const lines: unknown[] = [];
    const refusals = new CountedRefusals(
      { write: (_who, _what, about) => lines.push(about) },
      () => atMs,
    );
    refusals.note('order refused', { code: 'busy' });
    atMs = 0;
    refusals.note('order refused', { code: 'busy' });
    expect(lines).toHaveLength(2);
  });
});
