/** The terms on which the service is used; refuses terms that the product does not keep. */
import { DECISIONS_KEEP_DAYS, SESSION_MAX_AGE_MS } from '../../../contract/limits.ts';
import { REFERRAL_REWARD_DAYS, REFERRAL_REWARDS_A_YEAR } from '../../../contract/referrals.ts';
import { DocumentPage } from './DocumentPage.tsx';
import { PAYMENT_GRACE_DAYS, TRIAL_DAYS } from './stated-figures.ts';
import type { Block } from './rich-text.ts';

export const TERMS_TEXT: readonly Block[] = [
  { h: 'Who the parties are' },
  'You, and the operator of the server that you reach with this app. Tradewind is software that an operator runs; where these terms say “the operator”, the one at this address is meant.',
  { h: 'The service' },
  'Tradewind runs trading agents on a paper account by the rules and limits that you set, and shows their decisions, trades and results. It gives no advice, manages no money, holds none of your assets and places no order at an exchange.',
  { h: 'Your account' },
  {
    list: [
      'You need to be of age and allowed to use such a service where you live.',
      'Keep your password to yourself. What is done in a signed-in session counts as done by you.',
      `A session ends ${SESSION_MAX_AGE_MS / 3_600_000} hours after the sign-in. Agents run on without it.`,
      'One person, one account. Agents, results and plans cannot be passed on.',
    ],
  },
  { h: 'Plans, trial and payment' },
  {
    list: [
      'A paid plan runs by the month, or by the period shown with it, and renews until you cancel it in the billing portal.',
      'Cancelling takes effect at the end of what is paid for.',
      `If a payment fails, the plan stays for ${PAYMENT_GRACE_DAYS} days while the payment provider tries again.`,
      `The free trial can be had once. It lasts ${TRIAL_DAYS} days unless the operator has set another length, ends by itself, and turns into nothing that costs.`,
      `Inviting somebody earns both sides ${REFERRAL_REWARD_DAYS} days when that person’s first plan is paid, at most ${REFERRAL_REWARDS_A_YEAR} times in a year. Days are no money.`,
      'The price is the one shown before you pay. Payments are handled by the payment provider named there; where the checkout is labelled as a test, nothing is charged.',
    ],
  },
  { h: 'When a plan or trial ends' },
  'Agents open nothing new, exits and stop losses go on, and your data stays. Starting and creating agents is refused until there is a plan. Stopping is never refused.',
  { h: 'Paper money' },
  'Amounts marked PAPER are no money. They cannot be paid out, sold or exchanged, and create no claim against anybody.',
  { h: 'What is kept' },
  `Trades and ledger as long as the account; decisions for ${DECISIONS_KEEP_DAYS} days in full, then as counts. The [privacy policy](/privacy) has the whole list.`,
  { h: 'Fair use' },
  'Do not attack the service, read other people’s data, get around its limits or use it to break a law. Calls are limited in number; stopping an agent has a limit of its own, so that it works when others do not.',
  { h: 'What is not promised' },
  'The service is offered as it is. Prices can be late or wrong, agents can be halted or fail, a stop can come late, and the service can be down. The operator is not liable for losses that come from trading decisions, yours or an agent’s, here or elsewhere, as far as the law allows this. The [risk disclosure](/risk-disclosure) is part of these terms.',
  { h: 'Other people’s work' },
  'Prices belong to those who publish them and may not be republished from here. Signing in, paying and wallets go through services with terms of their own, which are shown there.',
  { h: 'Changes' },
  'Terms may change. The date at the top says when they last did. Whoever does not agree to a change can delete the account.',
  { h: 'Ending' },
  'You may delete your account at any time, under Settings. The operator may close an account for breach of these terms, and then says why.',
];

export default function TermsScreen() {
  return (
    <DocumentPage
      title="Terms of Service"
      updated="21 November 2026"
      blocks={TERMS_TEXT}
      lead="Short enough to be read. They are between you and the operator of the server that you reach with this app."
    />
  );
}
