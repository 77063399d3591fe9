/** From six answers to a risk profile: what a person can bear and what they would choose, the lower of the two; refuses to talk anyone up. */
import type { RiskProfile } from '../../../contract/agents.ts';

/** Suitability rules ask for both: what a loss would do to somebody (capacity), and what they feel about one (willingness). */
export type Side = 'capacity' | 'willingness';
export interface Question { id: string; side: Side; text: string; note?: string; answers: readonly string[] }

/** Answers run from careful to bold: 0, 1, 2 points. */
export const QUESTIONS: readonly Question[] = [
  { id: 'money', side: 'capacity', text: 'If this were real money, what money would it be?', note: 'Everything here runs on paper money. Answer as if it did not.', answers: ['Money I will need within a year', 'Savings I can leave alone for some years', 'Money I could lose entirely'] },
  { id: 'share', side: 'capacity', text: 'How large a part of what you own would it be?', answers: ['More than a quarter', 'Between a twentieth and a quarter', 'Less than a twentieth'] },
  { id: 'horizon', side: 'capacity', text: 'When might you want it back?', answers: ['Within a year', 'In one to five years', 'In more than five years'] },
  { id: 'fall', side: 'willingness', text: 'The account is down 15 % after a month. What do you do?', answers: ['Stop everything and keep the rest', 'Wait, and look again in a week', 'Let it run: that can happen'] },
  { id: 'range', side: 'willingness', text: 'Of 10 000, which range of a year would you rather live with?', note: 'Made up to compare, not a forecast. A wider range is wider on both ends.', answers: ['From 9 700 to 10 400', 'From 9 000 to 11 300', 'From 7 500 to 13 500'] },
  { id: 'past', side: 'willingness', text: 'Have you held something while it lost a third of its value?', answers: ['Never held anything that moves like that', 'Yes, and I sold on the way down', 'Yes, and I kept it or bought more'] },
];

export interface Score {
  profile: RiskProfile;
  capacity: { points: number; level: RiskProfile };
  willingness: { points: number; level: RiskProfile };
  /** Why it is no bolder, in a sentence. */
  why: string;
}

/** Points of one side that are possible. */
export const SIDE_MAX = 6;
export const LEVELS: readonly RiskProfile[] = ['Conservative', 'Moderate', 'Aggressive'];
const levelOf = (points: number): RiskProfile => (points <= 2 ? 'Conservative' : points <= 4 ? 'Moderate' : 'Aggressive');
const lower = (a: RiskProfile, b: RiskProfile): RiskProfile => (LEVELS.indexOf(a) <= LEVELS.indexOf(b) ? a : b);

/** Needed soon, or never to be missed: no other answer outvotes the first question's most careful one. */
export function scoreOf(answers: readonly number[]): Score {
  const points = (side: Side): number => QUESTIONS.reduce((sum, question, index) => sum + (question.side === side ? answers[index] ?? 0 : 0), 0);
  const capacity = { points: points('capacity'), level: levelOf(points('capacity')) };
  const willingness = { points: points('willingness'), level: levelOf(points('willingness')) };
  if (answers[0] === 0) {
    return { profile: 'Conservative', capacity, willingness, why: 'Money needed within a year should not be at risk: whatever the other answers say, this one rules.' };
  }
  const profile = lower(capacity.level, willingness.level);
  const why = capacity.level === willingness.level
    ? 'What you can bear and what you would choose agree.'
    : profile === capacity.level
      ? 'You would choose more risk than you can bear: what you can bear counts.'
      : 'You could bear more risk than you would choose: what you would choose counts.';
  return { profile, capacity, willingness, why };
}

export const profileOf = (answers: readonly number[]): RiskProfile => scoreOf(answers).profile;
