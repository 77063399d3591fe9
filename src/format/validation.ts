/** Validates a form's values by the contract, with one message per field. */
import * as z from 'zod/mini';
import type { FieldIssue } from '../../contract/error-reply.ts';
import { withLocalNumbers } from './number-marks.ts';

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: FieldIssue[] };

/**
 * Messages that the contract does not word: 'Required' for nothing and 'Invalid input' otherwise.
 */
export function check<S extends z.ZodMiniType>(schema: S, value: unknown): Checked<z.output<S>> {
  const parsed = z.safeParse(schema, value, {
    error: (issue) => (issue.input === undefined ? 'Required' : 'Invalid input'),
  });
  if (parsed.success) return { ok: true, value: parsed.data };
  return {
    ok: false,
    issues: parsed.error.issues.map((issue) => ({
      field: issue.path.map(String).join('.'),
      message: issue.message,
    })),
  };
}

/** The first message of each field, by its path such as `trading_pairs.0`. */
export function byField(issues: readonly FieldIssue[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const issue of issues) found[issue.field] ??= withLocalNumbers(issue.message);
  return found;
}
