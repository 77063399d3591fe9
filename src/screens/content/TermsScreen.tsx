/** The Terms of Service. They state only what the product does. */
import { DECISIONS_KEEP_DAYS, SESSION_MAX_AGE_MS } from '../../../contract/limits.ts';
import { REFERRAL_REWARD_DAYS, REFERRAL_REWARDS_A_YEAR } from '../../../contract/referrals.ts';
import { DocumentPage } from './DocumentPage.tsx';
import { PAYMENT_GRACE_DAYS, TRIAL_DAYS } from './stated-figures.ts';
import type { Block } from './rich-text.ts';

export const TERMS_TEXT: readonly Block[] = [
  { h: 'The parties' },
  'You and the operator of the server that this app connects to. Tradewind is software run by an ' +
    'operator. In these terms, “the operator” means the operator at this address.',
  { h: 'The service' },
  'Tradewind runs trading agents by the rules and limits that you set, and shows their ' +
    'decisions, trades and results. Every account begins on paper. It gives no advice, manages no ' +
    'money and holds none of your assets.',
  'Live trading is off unless the operator offers it. Where it is offered, you can connect your ' +
    'own account at an exchange. Agents that you start live then place orders there, in your name ' +
    'and with your money.',
  { h: 'Your account' },
  {
    list: [
      'You must be of legal age and allowed to use such a service where you live.',
      'Keep your password secret. You are responsible for what happens while you are logged in.',
      `A session ends ${SESSION_MAX_AGE_MS / 3_600_000} hours after login. Agents keep running.`,
      'One account per person. Agents, results and plans cannot be transferred.',
    ],
  },
  { h: 'Plans, trial and payment' },
  {
    list: [
      'A paid plan runs monthly, or for the period shown with it, and renews until you cancel it ' +
        'in the billing portal.',
      'Cancellation takes effect at the end of the paid period. While a renewal is unpaid, it ' +
        'takes effect at once, and the unpaid invoice is canceled.',
      `If a payment fails, the plan stays active for ${PAYMENT_GRACE_DAYS} days while the ` +
        'payment provider tries again.',
      `You can use the free trial once. It lasts ${TRIAL_DAYS} days, unless the operator has set ` +
        'a different length, and ends by itself without becoming a paid plan.',
      `If you invite somebody, you both get ${REFERRAL_REWARD_DAYS} free days once that person’s ` +
        `first plan is paid, at most ${REFERRAL_REWARDS_A_YEAR} times a year. Free days have no ` +
        'cash value.',
      'You pay the price shown at checkout. Payments are handled by the payment provider named ' +
        'there. If the checkout is labelled as a test, nothing is charged.',
    ],
  },
  { h: 'When a plan or trial ends' },
  'Agents open no new positions. Exits and stop losses stay active, and you keep your data. You ' +
    'need a plan to start or create agents again. You can always stop agents.',
  { h: 'Paper money' },
  'Amounts marked PAPER are not money. They cannot be paid out, sold or exchanged, and create no ' +
    'claim against anyone.',
  { h: 'Live trading' },
  {
    list: [
      'The account at the exchange is yours, and so is the contract with that exchange. Its ' +
        'terms, fees and decisions apply.',
      'You connect it with an API key that can trade and cannot withdraw or transfer. Other keys ' +
        'are rejected. Deleting the key at the exchange ends all access.',
      'Every live start needs your confirmation. Orders that your agents place within your limits ' +
        'are your orders, with their gains, losses, fees and taxes.',
      'You can stop agents, cancel Tradewind’s open orders and remove the key at any time. A ' +
        'trade that has been made cannot be undone.',
      'Limits reduce what can be lost. They guarantee no largest loss.',
      'If a plan ends, live agents open no new positions. Their stop losses and exits stay active.',
    ],
  },
  { h: 'Data retention' },
  'Trades and the ledger are kept for as long as the account exists, decisions for ' +
    `${DECISIONS_KEEP_DAYS} days in full and then as counts. The [privacy policy](/privacy) has ` +
    'the full list.',
  { h: 'Fair use' },
  'Do not attack the service, access other people’s data, bypass limits or break the law. The ' +
    'number of requests is limited. Stopping an agent has a limit of its own, so that it works ' +
    'even when other requests do not.',
  { h: 'No warranty' },
  'The service is provided as is. Prices can be late or wrong, agents can be halted or fail, a ' +
    'stop can come late, and the service can be down. As far as the law allows, the operator is ' +
    'not liable for losses from trading decisions, yours or an agent’s, here or elsewhere. The ' +
    '[risk disclosure](/risk-disclosure) is part of these terms.',
  { h: 'Third parties' },
  'Prices belong to their publishers and may not be republished. Login, payments, wallets and ' +
    'exchanges are third-party services with their own terms, which are shown there.',
  { h: 'Changes' },
  'These terms may change. The date at the top shows the last update. If you do not agree to a ' +
    'change, you can delete your account.',
  { h: 'Termination' },
  'You can delete your account at any time under Settings. The operator may close an account ' +
    'that breaches these terms and will say why.',
];

export default function TermsScreen() {
  return (
    <DocumentPage
      title="Terms of Service"
      updated="23 November 2026"
      blocks={TERMS_TEXT}
      lead="The agreement between you and the operator of the server that this app connects to. Short enough to read."
    />
  );
}
