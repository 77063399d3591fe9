/** What is kept of people: read again when a part that it depends on changes, and not for any other. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { PersonVersion } from '../../../server/db/person-versions.ts';
import { KnownFacts, type Part } from '../../../server/reads/known-facts.ts';

let of: PersonVersion | null;
let now = 0;
let day = 0;
let known: KnownFacts;
let loads: string[];
/** What the next loads wait for; empty where they may end at once. */
let gate: Promise<void>;

beforeEach(() => {
  of = { books: '1', marks: '1', runs: '1' };
  now = 1_000;
  day = 1;
  loads = [];
  gate = Promise.resolve();
  known = new KnownFacts({
    versions: { of: () => Promise.resolve(of) },
    clock: { now: () => now },
    day: () => day,
    turn: (_uid, work) => work(),
  });
});

const read = async (name: string, on: readonly Part[] = [], once = false): Promise<string> => {
  const { facts } = await known.read('ada', {
    name,
    on,
    once,
    turn: (_uid, work) => work(),
    load: async () => {
      loads.push(name);
      const found = `${name} ${loads.length}`;
      await gate;
      return found;
    },
  });
  return facts;
};
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('known facts', () => {
  it('take no place where nobody is likely to ask for the same again', async () => {
    await read('kept');
    const { bytes } = known;
    await read('page', [], true);
    expect(known.bytes).toBe(bytes);
    await read('kept');
    await read('page', [], true);
    expect(loads).toEqual(['kept', 'page', 'page']);
  });

  it.each<[string, readonly Part[], () => void, boolean]>([
    ['books', [], () => (of = { books: '2', marks: '1', runs: '1' }), true],
    ['marks', ['marks'], () => (of = { books: '1', marks: '2', runs: '1' }), true],
    ['runs', ['runs'], () => (of = { books: '1', marks: '1', runs: '2' }), true],
    ['the day', ['day'], () => (day += 1), true],
    [
      'marks that they have no part in',
      ['runs'],
      () => (of = { books: '1', marks: '2', runs: '1' }),
      false,
    ],
    [
      'runs that they have no part in',
      ['marks'],
      () => (of = { books: '1', marks: '1', runs: '2' }),
      false,
    ],
    ['a day that they have no part in', ['marks', 'runs'], () => (day += 1), false],
  ])('are read again after a change of %s: %#', async (_what, on, change, again) => {
    await read('portfolio', on);
    await read('portfolio', on);
    expect(loads).toHaveLength(1);
    change();
    await read('portfolio', on);
    expect(loads).toHaveLength(again ? 2 : 1);
  });

  it('a minute old are given at once, and read anew behind the answer', async () => {
    expect(await read('portfolio')).toBe('portfolio 1');
    now += 60_000;
    let open = (): void => undefined;
    gate = new Promise((resolve) => (open = resolve));
    expect(await read('portfolio')).toBe('portfolio 1');
    expect(loads).toHaveLength(2);
    open();
    await settled();
    expect(await read('portfolio')).toBe('portfolio 2');
    expect(loads).toHaveLength(2);
  });

  it('are renewed one at a time, so that nobody waits behind what nobody waits for', async () => {
    for (const name of ['portfolio', 'agents', 'analytics']) await read(name);
    now += 60_000;
    let open = (): void => undefined;
    gate = new Promise((resolve) => (open = resolve));
    for (const name of ['portfolio', 'agents', 'analytics']) await read(name);
    expect(loads).toEqual(['portfolio', 'agents', 'analytics', 'portfolio']);
    open();
    await settled();
    await read('agents');
    expect(loads.at(-1)).toBe('agents');
  });

  it('that nobody asked for in five minutes are read before they are given', async () => {
    await read('portfolio');
    now += 300_000;
    expect(await read('portfolio')).toBe('portfolio 2');
  });

  it('are kept where renewing them fails, and tried again', async () => {
    await read('portfolio');
    now += 60_000;
    gate = Promise.reject(new Error('no connection'));
    gate.catch(() => undefined);
    expect(await read('portfolio')).toBe('portfolio 1');
    await settled();
    gate = Promise.resolve();
    expect(await read('portfolio')).toBe('portfolio 1');
    await settled();
    expect(await read('portfolio')).toBe('portfolio 3');
  });

  it('of a person without a row are kept for nobody', async () => {
    of = null;
    await read('portfolio');
    expect(await read('portfolio')).toBe('portfolio 2');
  });
});
