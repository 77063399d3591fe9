/** Everything near a sample: each of its parts left out, put in or replaced by something else. */

const OTHERS: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  7,
  99,
  100,
  2 ** 53,
  NaN,
  Infinity,
  '',
  'x',
  'true',
  '1.5',
  '1e5',
  '-2',
  '1000000000000',
  'BTC/USD',
  'above',
  'kraken',
  'stop',
  'cancelled',
  'é'.repeat(40),
  '😀'.repeat(40),
  '😀'.repeat(141),
  'a'.repeat(64),
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '00000000-0000-4000-7000-000000000000',
  [],
  ['x'],
  [1, null],
  Array.from({ length: 600 }, () => 'x'),
  {},
  { id: 'x' },
  new Date(0),
  new Map(),
];

/** The sample is plain data. */
export function* variants(sample: unknown): Generator {
  yield sample;
  yield* OTHERS;
  if (typeof sample !== 'object' || sample === null) return;
  if (Array.isArray(sample)) {
    for (const other of OTHERS) yield [...(sample as unknown[]), other];
    for (const [index, part] of sample.entries())
      for (const next of variants(part)) yield (sample as unknown[]).with(index, next);
    return;
  }
  yield { ...sample, beside: 1 };
  for (const [key, part] of Object.entries(sample)) {
    yield Object.fromEntries(Object.entries(sample).filter(([other]) => other !== key));
    for (const next of variants(part)) yield { ...sample, [key]: next };
  }
}
