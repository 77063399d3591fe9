/** From three answers to a risk profile, by points; refuses to talk anyone up. */
import type { RiskProfile } from '../../../contract/agents.ts';

export interface Question { id: string; text: string; answers: readonly string[] }

/** Answers run from careful to bold: 0, 1, 2. */
export const QUESTIONS: readonly Question[] = [
  { id: 'drop', text: 'The account is down 15 % in a month. You', answers: ['stop and keep the rest', 'wait and look again', 'let it run'] },
  { id: 'horizon', text: 'You look at results over', answers: ['days', 'months', 'years'] },
  { id: 'share', text: 'If this were real money, it would be', answers: ['money you need', 'savings', 'money you can lose'] },
];

/** The most careful answer rules: one "money you need" is never outvoted into Aggressive. */
export function profileOf(answers: readonly number[]): RiskProfile {
  const total = answers.reduce((sum, answer) => sum + answer, 0);
  const least = Math.min(...answers);
  if (total <= 2) return 'Conservative';
  return total >= 5 && least >= 1 ? 'Aggressive' : 'Moderate';
}
