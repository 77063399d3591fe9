/** Readers take what a schema of the same form takes, and nothing else. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  anything,
  byKey,
  either,
  fields,
  list,
  maybe,
  number,
  numberFrom,
  oneOf,
  orNull,
  readAs,
  readJson,
  someText,
  text,
  textLike,
  textUpTo,
  uuid,
  whole,
  yesOrNo,
  type Reader,
} from '../../contract/readers.ts';
import { judgedAlike } from '../support/judged-alike.ts';

const reader = fields({
  name: text,
  some: someText,
  short: textUpTo(40),
  like: textLike(/^a+$/),
  id: uuid,
  amount: number,
  count: whole,
  share: numberFrom(-1, 99),
  places: numberFrom(1, 99, whole),
  is: yesOrNo,
  word: oneOf(['x', 'stop', 7]),
  nothing: orNull(text),
  absent: maybe(number),
  both: maybe(orNull(whole)),
  names: list(text),
  few: list(anything, 2),
  by: byKey(number),
  part: fields({ id: text, at: maybe(number) }),
  exact: fields({ kind: oneOf(['above']), at: maybe(number) }, true),
  one: either<string | number>(whole, text),
});
const schema = z.object({
  name: z.string(),
  some: z.string().check(z.minLength(1)),
  short: z.string().check(z.maxLength(40)),
  like: z.string().check(z.regex(/^a+$/)),
  id: z.uuid(),
  amount: z.number(),
  count: z.int(),
  share: z.number().check(z.gte(-1), z.lte(99)),
  places: z.int().check(z.minimum(1), z.maximum(99)),
  is: z.boolean(),
  word: z.literal(['x', 'stop', 7]),
  nothing: z.nullable(z.string()),
  absent: z.optional(z.number()),
  both: z.optional(z.nullable(z.int())),
  names: z.array(z.string()),
  few: z.array(z.unknown()).check(z.maxLength(2)),
  by: z.record(z.string(), z.number()),
  part: z.object({ id: z.string(), at: z.optional(z.number()) }),
  exact: z.strictObject({ kind: z.literal('above'), at: z.optional(z.number()) }),
  one: z.union([z.int(), z.string()]),
});

const SAMPLE = {
  name: 'a',
  some: 'b',
  short: 'c',
  like: 'aa',
  id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  amount: 1.25,
  count: 3,
  share: 0.5,
  places: 2,
  is: true,
  word: 'x',
  nothing: null,
  absent: 1,
  both: null,
  names: ['one'],
  few: [1],
  by: { a: 1 },
  part: { id: 'a', at: 1 },
  exact: { kind: 'above', at: 2 },
  one: 'either',
};

describe('a reader', () => {
  it('judges everything near a record as a schema does, and reads it alike', () => {
    expect(judgedAlike(reader, schema, SAMPLE)).toEqual({ taken: true, unlike: [] });
  });

  it('of several forms takes null for a value where one of them does', () => {
    expect(either<string | number | null>(whole, orNull(text))(null)).toBeNull();
  });

  it('is not misled by what a prototype has', () => {
    const record: Reader<unknown> = fields({ name: text });
    expect(readAs(record, JSON.parse('{"__proto__":{"name":"a"}}'))).toBeNull();
    expect(readAs(byKey(number), JSON.parse('{"__proto__":1,"a":2}'))).toEqual({ a: 2 });
    expect(readAs(fields({}, true), JSON.parse('{"toString":1}'))).toBeNull();
  });

  it('reads stored text, and nothing where there is none or it is no JSON', () => {
    expect(readJson(list(number), '[1,2]')).toEqual([1, 2]);
    for (const json of [null, '', '{', '[1,"2"]', 'null'])
      expect(readJson(list(number), json)).toBeNull();
  });
});
