/** A new agent as typed, up to the request body. The contract validates it. */
import * as z from 'zod/mini';
import {
  AgentCreateBody,
  PoolId,
  TradingFrequency,
  type RiskProfile,
} from '../../../../contract/agents.ts';
import type { FieldIssue } from '../../../../contract/error-reply.ts';
import { PreviewTerms, type AgentPreviewBody } from '../../../../contract/preview.ts';
import { ApiError } from '../../../api/api-error.ts';
import { errorSentence } from '../../../format/error-text.ts';
import { typedNumber } from '../../../format/typed-numbers.ts';
import { byField, check } from '../../../format/validation.ts';

/** What is typed is text, as typed. */
export const AgentDraft = z.object({
  name: z.string(),
  pool: PoolId,
  pairs: z.array(z.string()),
  risk_profile: z.string(),
  size: z.string(),
  execution_interval: z.string(),
  /** Of a copy; otherwise the account's setting decides. */
  trading_frequency: z.optional(TradingFrequency),
});
export type AgentDraft = z.infer<typeof AgentDraft>;

/** Whether two drafts say the same, in whatever order their fields stand. */
export const isSameDraft = (a: AgentDraft, b: AgentDraft): boolean =>
  JSON.stringify(AgentDraft.parse(a)) === JSON.stringify(AgentDraft.parse(b));

/** What a form begins with that is opened from an agent, a pair or a pool, and its kept name. */
export interface GivenDraft {
  keptAs: string;
  draft: AgentDraft;
}

export const NEW_AGENT: AgentDraft = {
  name: '',
  pool: 'all_pools',
  pairs: [],
  risk_profile: 'Moderate',
  size: '1000',
  execution_interval: '5-minute',
};

/** The size of each profile until the user enters one. */
export const PRESETS: readonly { profile: RiskProfile; size: string; line: string }[] = [
  { profile: 'Conservative', size: '500', line: 'Few trades, small positions, tight stop loss.' },
  { profile: 'Moderate', size: '1000', line: 'More trades, twice the position size.' },
  {
    profile: 'Aggressive',
    size: '2000',
    line: 'Weaker signals, large positions, wide stop loss.',
  },
];

const termsOf = (draft: AgentDraft): object => ({
  trading_pairs: draft.pairs,
  risk_profile: draft.risk_profile,
  max_position_size: typedNumber(draft.size),
  execution_interval: draft.execution_interval,
  pool: draft.pool,
  ...(draft.trading_frequency === undefined ? {} : { trading_frequency: draft.trading_frequency }),
});

/** The request body, or what is wrong with the draft. */
export function checkDraft(
  draft: AgentDraft,
  enabled = false,
): ReturnType<typeof check<typeof AgentCreateBody>> {
  return check(AgentCreateBody, { ...termsOf(draft), name: draft.name, enabled });
}

/** The body for a preview; null while the draft is not valid. The name does not matter. */
export function previewOf(draft: AgentDraft): AgentPreviewBody | null {
  const checked = check(PreviewTerms, termsOf(draft));
  return checked.ok ? { terms: checked.value } : null;
}

/** Messages by field of the form; a message about one pair is shown under all pairs. */
export function formIssues(issues: readonly FieldIssue[]): Record<string, string> {
  const found = byField(issues);
  const pair = Object.entries(found).find(([field]) => field.startsWith('trading_pairs'))?.[1];
  return pair === undefined ? found : { ...found, trading_pairs: pair };
}

/** Errors by field, from the contract before sending and from the server after. */
export function serverIssues(error: unknown): {
  fields: Record<string, string>;
  form: string | undefined;
} {
  if (error instanceof ApiError) {
    const fields = formIssues([
      ...error.issues,
      ...(error.field === undefined ? [] : [{ field: error.field, message: errorSentence(error) }]),
    ]);
    if (Object.keys(fields).length > 0) return { fields, form: undefined };
  }
  return { fields: {}, form: errorSentence(error) };
}
