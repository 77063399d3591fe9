/** The four risk questions, and the risk profile that the answers lead to. */
import type { RiskProfile } from '../../../contract/agents.ts';
import { formatAmount } from '../../format/numbers.ts';

/**
 * How large a loss somebody can afford (capacity), and how comfortable they are with one:
 * suitability needs both.
 */
type Side = 'capacity' | 'comfort';
export interface Question {
  id: string;
  side: Side;
  text: string;
  note?: string;
  answers: readonly string[];
}

const whole = (amount: string): string => formatAmount(amount, { least: 0 });
const between = (low: string, high: string): string => `Between ${whole(low)} and ${whole(high)}`;

/** Answers run from cautious to bold: 0, 1, 2 points. */
export const QUESTIONS: readonly Question[] = [
  {
    id: 'money',
    side: 'capacity',
    text: 'When might you need this money?',
    note: 'Everything here runs on paper money. Answer as if it were real.',
    answers: ['Within a year', 'In one to five years', 'Not for at least five years'],
  },
  {
    id: 'share',
    side: 'capacity',
    text: 'What share of your savings is this?',
    answers: ['More than 25 %', '5–25 %', 'Less than 5 %'],
  },
  {
    id: 'fall',
    side: 'comfort',
    text: 'Your account is down 15 % after a month. What do you do?',
    answers: ['Stop everything and keep the rest', 'Wait and check again in a week', 'Let it run'],
  },
  {
    id: 'range',
    side: 'comfort',
    text: 'Which one-year outcome could you accept?',
    note: `For ${whole('10000')} invested. Example ranges, not a forecast.`,
    answers: [between('9700', '10400'), between('9000', '11300'), between('7500', '13500')],
  },
];

export interface Score {
  profile: RiskProfile;
  capacity: { points: number; level: RiskProfile };
  comfort: { points: number; level: RiskProfile };
  /** Why it is no bolder, in a sentence. */
  why: string;
}

/** The most points that one side can have. */
export const SIDE_MAX = 4;
export const LEVELS: readonly RiskProfile[] = ['Conservative', 'Moderate', 'Aggressive'];

function levelOf(points: number): RiskProfile {
  if (points <= 1) return 'Conservative';
  return points <= 3 ? 'Moderate' : 'Aggressive';
}

const lower = (a: RiskProfile, b: RiskProfile): RiskProfile =>
  LEVELS.indexOf(a) <= LEVELS.indexOf(b) ? a : b;

function reasonFor({ capacity, comfort, profile }: Omit<Score, 'why'>): string {
  if (capacity.level === comfort.level) return 'Your risk capacity and comfort match.';
  return profile === capacity.level
    ? 'You are comfortable with more risk than you can afford. We use the lower level.'
    : 'You can afford more risk than you are comfortable with. We use the lower level.';
}

/** Money that is needed within a year always gets the lowest risk. */
export function scoreOf(answers: readonly number[]): Score {
  const pointsOf = (side: Side): number =>
    QUESTIONS.reduce(
      (sum, question, index) => sum + (question.side === side ? (answers[index] ?? 0) : 0),
      0,
    );
  const capacity = { points: pointsOf('capacity'), level: levelOf(pointsOf('capacity')) };
  const comfort = { points: pointsOf('comfort'), level: levelOf(pointsOf('comfort')) };
  if (answers[0] === 0) {
    const why =
      'Money you may need within a year should take little risk, whatever your other answers.';
    return { profile: 'Conservative', capacity, comfort, why };
  }
  const score = { profile: lower(capacity.level, comfort.level), capacity, comfort };
  return { ...score, why: reasonFor(score) };
}

export const profileOf = (answers: readonly number[]): RiskProfile => scoreOf(answers).profile;
