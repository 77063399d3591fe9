/** Money on the wire. Arithmetic with it is in `money.ts`, which does without schemas. */
import * as z from 'zod/mini';
import { DECIMAL } from './money.ts';

export const DecimalText = z
  .string()
  .check(z.regex(DECIMAL, 'Invalid input: expected a decimal such as 12.50'));
export type DecimalText = z.infer<typeof DecimalText>;
