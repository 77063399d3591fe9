/** Compares a reader with the schema that says the same, on everything near a sample. */
import type * as z from 'zod/mini';
import { isDeepStrictEqual } from 'node:util';
import { readAs, type Reader } from '../../contract/readers.ts';
import { variants } from './variants.ts';

/** `taken`: the sample itself is read. `unlike`: what the two do not agree about. */
export function judgedAlike(
  reader: Reader<unknown>,
  schema: z.ZodMiniType,
  sample: unknown,
): { taken: boolean; unlike: unknown[] } {
  const unlike = [...variants(sample)].filter((raw) => {
    const parsed = schema.safeParse(raw);
    const read = readAs(reader, raw);
    return parsed.success ? !isDeepStrictEqual(read, parsed.data) : read !== null;
  });
  return { taken: readAs(reader, sample) !== null, unlike };
}
