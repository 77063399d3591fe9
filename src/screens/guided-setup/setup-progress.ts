/** The user's progress in the guided setup, as stored on the device and named in the address. */
import * as z from 'zod/mini';
import { AgentDraft, checkDraft, NEW_AGENT } from '../agents/create/agent-draft.ts';
import { QUESTIONS } from './risk-questions.ts';

/** Its name among the kept drafts. */
export const SETUP_DRAFT = 'guided-setup';
export const SETUP_PATH = '/guided-setup';

/** Steps are numbered through: the questions, then the review, then the start. */
export const PLAN_AT = QUESTIONS.length;
export const START_AT = PLAN_AT + 1;

export const Progress = z.object({
  answers: z.array(z.number().check(z.gte(0), z.lte(2))).check(z.maxLength(QUESTIONS.length)),
  at: z.number().check(z.gte(0), z.lte(START_AT)),
  draft: AgentDraft,
  /** The user has confirmed that they understand the risks. */
  risks: z.boolean(),
});
export type Progress = z.infer<typeof Progress>;

export const BEGIN: Progress = {
  answers: [],
  at: 0,
  draft: { ...NEW_AGENT, name: 'First agent' },
  risks: false,
};

/** The last step that can be shown: everything before it is answered and valid. */
export function furthest(
  { answers, draft }: Pick<Progress, 'answers' | 'draft'>,
  mayCreate: boolean,
): number {
  if (answers.length < QUESTIONS.length) return answers.length;
  return mayCreate && checkDraft(draft).ok ? START_AT : PLAN_AT;
}

export const addressOf = (at: number): string => `${SETUP_PATH}?step=${at + 1}`;

/** The step that an address names; null where it names none. */
export function placeIn(search: string): number | null {
  const step = Number(new URLSearchParams(search).get('step') ?? Number.NaN);
  return Number.isInteger(step) && step >= 1 && step <= START_AT + 1 ? step - 1 : null;
}
