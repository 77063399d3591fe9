/** The record of the last user: taken in its own form alone, however it was changed. */
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseLastUser } from '../../../src/identity/last-user.ts';
import { variants } from '../../support/variants.ts';

/** The form of the record in the language of schemas. */
const LastUser = z.object({
  uid: z.string().check(z.minLength(1)),
  email: z.nullable(z.string()),
  lastSignInTime: z.nullable(z.string()),
});
const RECORD = { uid: 'ada', email: 'ada@example.com', lastSignInTime: null };

it('reads the record without what is no part of it, and nothing else', () => {
  expect(parseLastUser(JSON.stringify({ ...RECORD, token: 'x' }))).toEqual(RECORD);
  for (const json of [null, '', '{', 'null']) expect(parseLastUser(json)).toBeNull();
  for (const raw of variants(RECORD)) {
    const json = JSON.stringify(raw) as string | undefined;
    if (json === undefined) continue;
    const parsed = LastUser.safeParse(JSON.parse(json));
    expect([json, parseLastUser(json)]).toEqual([json, parsed.data ?? null]);
  }
});
