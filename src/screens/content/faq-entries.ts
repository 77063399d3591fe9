/**
 * Questions traders ask, answered for this product as it is; refuses answers for a product to come.
 */
import {
  AGENT_PAIRS_MAX,
  DECISIONS_KEEP_DAYS,
  SESSION_MAX_AGE_MS,
  SESSION_NOTICE_MS,
  START_FRESH_MS,
  START_LAPSE_MS,
  STARTING_DEPOSIT,
  YEARLY_LEAST_DAYS,
} from '../../../contract/limits.ts';
import { REFERRAL_REWARD_DAYS, REFERRAL_REWARDS_A_YEAR } from '../../../contract/referrals.ts';
import { agentCap } from '../../../contract/tiers.ts';
import { formatAmount } from '../../format/numbers.ts';
import { GUARD_FIGURES, HISTORY, PAYMENT_GRACE_DAYS, TRIAL_DAYS } from './stated-figures.ts';
import { plainOf } from './rich-text.ts';
import type { Searchable } from './text-search.ts';

export interface Question {
  /** Its address: `/faq#` and this. */
  id: string;
  ask: string;
  /** Paragraphs, with the inline marks of long text. */
  answer: readonly string[];
  also?: readonly string[];
}
export interface QuestionGroup {
  title: string;
  questions: readonly Question[];
}

const HOURS = SESSION_MAX_AGE_MS / 3_600_000;
const FRESH = START_FRESH_MS / 60_000;
const LAPSE = START_LAPSE_MS / 3_600_000;
const deposit = formatAmount(STARTING_DEPOSIT, { least: 0 });

export const QUESTIONS: readonly QuestionGroup[] = [
  {
    title: 'Beginning',
    questions: [
      {
        id: 'real-money',
        ask: 'Is this real money?',
        also: ['paper', 'demo', 'live trading'],
        answer: [
          `No. Every account is a paper account: it starts with ${deposit} of the market’s quote currency that nobody paid in, and every amount is marked PAPER. Prices can be real; the money is not, and no order is placed at an exchange.`,
        ],
      },
      {
        id: 'first-steps',
        ask: 'What do I do first?',
        answer: [
          '[Create an account](/register). The page [Getting started](/getting-started) then lists the steps and ticks them off by itself: trial or plan, first agent, first start, first trade, and what makes the app work without a network.',
        ],
      },
      {
        id: 'which-agent',
        ask: 'Which agent should I begin with?',
        also: ['preset', 'recommend', 'guided setup'],
        answer: [
          'Nobody here can know what suits you, and nothing in the app is advice. The [guided setup](/guided-setup) asks a few questions, proposes a risk profile, and shows the worst loss in money before anything starts.',
        ],
      },
      {
        id: 'exchange-account',
        ask: 'Do I need an account at an exchange?',
        also: ['api key', 'coinbase', 'binance', 'kraken'],
        answer: [
          'No. No exchange key is asked for. Prices come from the source that the operator of this server chose.',
        ],
      },
      {
        id: 'price-source',
        ask: 'Where do the prices come from?',
        also: ['simulated', 'recording', 'replay'],
        answer: [
          'From an exchange, from a recording, or from a simulation. The line under the header always says which. Simulated prices are made by a formula and say nothing about a market.',
        ],
      },
      {
        id: 'install',
        ask: 'Is there an app for my phone?',
        also: ['install', 'home screen', 'iphone', 'android', 'pwa', 'app store'],
        answer: [
          'This is the app. It installs from the browser: Chrome and Edge offer it, on iPhone and iPad it is Share, then Add to Home Screen. Installed or not, it opens without a network once it has been opened with one.',
        ],
      },
    ],
  },
  {
    title: 'Agents and their decisions',
    questions: [
      {
        id: 'no-trade',
        ask: 'Why did my agent not trade?',
        also: ['no trade', 'nothing happens', 'inactive'],
        answer: [
          'Open the agent. Each look at the market stands there with its reason: a signal under the threshold, a trend that is down, too little history, a late price, or a guard that holds it back and until when.',
        ],
      },
      {
        id: 'signal-strength',
        ask: 'What does “signal 0.41, needs 0.55” mean?',
        also: ['strength', 'threshold', 'probability'],
        answer: [
          'The pool found a signal of strength 0.41, and your agent enters from 0.55. The strength says how unusual the move is for that pair, from 0 to 1. It is not the chance of winning.',
        ],
      },
      {
        id: 'how-often',
        ask: 'How often does an agent look?',
        also: ['interval', 'frequency', '5-minute', '20-minute', 'daily'],
        answer: [
          'Every 5 minutes, every 20 minutes, or daily at 00:00 UTC, as you chose. When it may rebalance is another setting, the trading frequency. Stop losses are checked on every price, whatever either says.',
        ],
      },
      {
        id: 'history-needed',
        ask: 'Why does it say “too little history”?',
        answer: [
          `A pair needs ${HISTORY.volatilityLeast} days of prices before its volatility is known, and the longest rule looks back ${HISTORY.longHaul} days. Until then nothing is judged.`,
        ],
      },
      {
        id: 'which-pairs',
        ask: 'Which pairs can an agent trade?',
        also: ['coins', 'symbols', 'quote currency'],
        answer: [
          `Up to ${AGENT_PAIRS_MAX} of those the source offers in the account’s one quote currency, or the list of a pool. You see them under [Markets](/market).`,
        ],
      },
      {
        id: 'same-pair',
        ask: 'Can two agents hold the same coin?',
        answer: [
          'Yes. Each holds its own position with its own cost and its own stop. Cash is set aside when an order is decided, so that two do not spend it twice.',
        ],
      },
      {
        id: 'late-agent',
        ask: 'What does “late” mean beside an agent?',
        answer: ['That it has missed two looks of its own interval. One may simply be on its way.'],
      },
      {
        id: 'faulted',
        ask: 'What is a faulted agent?',
        also: ['error', 'fault', 'broken'],
        answer: [
          'One whose rules failed with an error. It is set apart so that it disturbs nobody else, opens nothing, and keeps the stops of what it holds. It says why, and you can start it again.',
        ],
      },
    ],
  },
  {
    title: 'Risk and stops',
    questions: [
      {
        id: 'stop-vs-sell',
        ask: 'What is the difference between Stop and “Stop and sell”?',
        also: ['liquidate', 'close', 'exit'],
        answer: [
          'Stop ends new trades and keeps the stop losses of what is open: “Stopped, protecting 2 positions”. Stop and sell also sells all of it now, at the bid, less fee. It takes a held press and a connection.',
        ],
      },
      {
        id: 'still-holding',
        ask: 'Why is a stopped agent still holding something?',
        answer: [
          'Because selling in a hurry is a decision of its own. Its stop losses go on guarding. To leave the market, use Stop and sell, or close a single position under [Portfolio](/portfolio).',
        ],
      },
      {
        id: 'stop-filled-lower',
        ask: 'Why was my stop filled below its price?',
        also: ['slippage', 'gap'],
        answer: [
          'A stop sells at the next price there is. If the market jumps past it, that price is lower. Spread, impact and fee come off as well. The [risk disclosure](/risk-disclosure) has more on gaps.',
        ],
      },
      {
        id: 'worst-loss',
        ask: 'Can I lose more than the “worst loss” shown?',
        answer: [
          'Yes. It assumes that the stop fills at its price, and it is for one pair. A gap can exceed it, and several pairs can be stopped on one day.',
        ],
      },
      {
        id: 'after-stop',
        ask: 'Why does an agent not buy back after a stop?',
        also: ['cooldown'],
        answer: [
          `It stays off that pair for ${GUARD_FIGURES.afterStopHours} hours. ${GUARD_FIGURES.clusterStops} stops within ${GUARD_FIGURES.clusterWithinHours} hours pause all its entries for ${GUARD_FIGURES.clusterPauseHours} hours.`,
        ],
      },
      {
        id: 'halted',
        ask: 'My agent is halted. What now?',
        also: ['day loss', 'drawdown'],
        answer: [
          'The account has lost its limit for the day, or stands too far under its high. It opens nothing new; exits and stops go on. A day’s halt ends at midnight UTC, a drawdown’s when you start the agent again.',
        ],
      },
    ],
  },
  {
    title: 'Without a network',
    questions: [
      {
        id: 'connection-lost',
        ask: 'What happens to my agents when I lose the connection?',
        also: ['offline', 'tunnel'],
        answer: ['Nothing. They run on the server. Your device shows the last state with its age.'],
      },
      {
        id: 'stop-offline',
        ask: 'What happens to a Stop that I press without a network?',
        also: ['offline', 'queue', 'saved'],
        answer: [
          'It is written to the device before the app says “saved”, goes first when there is a connection, and is carried out once. Until the server has it, the agent trades on, and the app does not call it stopped.',
        ],
      },
      {
        id: 'stop-lost',
        ask: 'Can a Stop get lost, or arrive twice?',
        answer: [
          'It carries a number of its own and stays in the queue until the server answers with that number. The server carries out each number once. If your browser cannot store it, the app says so at once.',
        ],
      },
      {
        id: 'start-offline',
        ask: 'Can a Start wait in the queue too?',
        answer: [
          `Yes. It goes by itself for ${FRESH} minutes. After that, or if the agent was changed meanwhile, you are asked to confirm with the prices of then and now; after ${LAPSE} hours it lapses and says so.`,
        ],
      },
      {
        id: 'what-offline',
        ask: 'What can I do without a network?',
        answer: [
          'Read the last portfolio, agents, trades and prices, the library and these pages; export the trades on the device; press Stop or Start, which wait. Selling, settings, new agents and payments need the server.',
        ],
      },
      {
        id: 'how-old',
        ask: 'How do I know how old a number is?',
        also: ['age', 'stale', 'amber'],
        answer: [
          'Its age stands in the header, and in amber once it is no longer fresh. Offline the line under the header names the time of what you see. A dash means unknown, never zero.',
        ],
      },
      {
        id: 'notifications',
        ask: 'Can I be told when something happens?',
        also: ['push', 'alerts', 'quiet hours'],
        answer: [
          'Yes, under [Settings](/settings#notifications), on each device where you want it: a stop that is late, an agent that was held, a stop loss, trades, an ending trial, a failed payment, each by choice and with quiet hours. Do not rely on it: notifications can be late.',
        ],
      },
    ],
  },
  {
    title: 'Results',
    questions: [
      {
        id: 'equity-sum',
        ask: 'How is equity computed?',
        also: ['p&l', 'profit'],
        answer: [
          'Cash plus every open position at the bid. It equals deposits plus realised plus unrealised, to the last digit. Press the figure and its equation opens.',
        ],
      },
      {
        id: 'starts-negative',
        ask: 'Why does a new position start with a loss?',
        answer: [
          'You bought at the ask and could sell at the bid, and the fee is paid. That is what it costs to be in.',
        ],
      },
      {
        id: 'fees',
        ask: 'Which fees are charged on paper?',
        also: ['commission', 'spread', 'cost'],
        answer: [
          'A taker fee and half the spread on each fill, and an estimate of how far the order moves the price. The rate stands in every trade. Realised results are net of it.',
        ],
      },
      {
        id: 'no-sharpe',
        ask: 'Why is there a dash instead of a Sharpe ratio?',
        also: ['sharpe', 'sortino', 'calmar', 'cagr', 'volatility'],
        answer: [
          `Yearly figures need ${YEARLY_LEAST_DAYS} days. From fewer they would say more about the days than about the account.`,
        ],
      },
      {
        id: 'decisions-gone',
        ask: 'Where are my older decisions?',
        answer: [
          `They are kept in full for ${DECISIONS_KEEP_DAYS} days, then as counts by day and reason. Trades are kept as long as the account.`,
        ],
      },
      {
        id: 'reset',
        ask: 'Can I start over?',
        also: ['reset', 'new book'],
        answer: [
          'Yes: “Reset paper account” under [Portfolio](/portfolio) stops all agents and opens a new book with a fresh deposit. The old book is kept.',
        ],
      },
      {
        id: 'tax',
        ask: 'Do I owe tax on this?',
        answer: [
          'On paper trades nothing was bought or sold. For real ones ask somebody who is liable for the answer; the [library](/library?article=tax-lots) explains lots.',
        ],
      },
    ],
  },
  {
    title: 'Plans and trial',
    questions: [
      {
        id: 'cost',
        ask: 'What does it cost?',
        also: ['price', 'plan', 'subscription'],
        answer: [
          `Looking is free. Plans allow ${agentCap('starter')}, ${agentCap('standard')}, ${agentCap('pro')} or ${agentCap('pro-max')} agents. The prices of this server stand under [Subscription](/subscription).`,
        ],
      },
      {
        id: 'trial',
        ask: 'What is in the free trial?',
        answer: [
          `Everything in Standard, with up to ${agentCap('trial')} agents, for ${TRIAL_DAYS} days unless the operator has set another length. Once a person, without a card. It ends by itself.`,
        ],
      },
      {
        id: 'plan-ends',
        ask: 'What happens when my plan or trial ends?',
        answer: [
          'Agents open nothing new; exits and stop losses go on. Nothing is deleted. You cannot start or create agents until you have a plan, and you can always stop.',
        ],
      },
      {
        id: 'payment-failed',
        ask: 'My payment failed. Is everything off?',
        answer: [
          `Not at once. The plan stays for ${PAYMENT_GRACE_DAYS} days while the payment provider tries again. Put the card right in the billing portal under [Subscription](/subscription).`,
        ],
      },
      {
        id: 'cancel',
        ask: 'How do I cancel?',
        answer: [
          'Under [Subscription](/subscription), in the billing portal. It takes effect at the end of what is paid for.',
        ],
      },
    ],
  },
  {
    title: 'Account, device and privacy',
    questions: [
      {
        id: 'four-hours',
        ask: `Why must I sign in again after ${HOURS} hours?`,
        also: ['session', 'logged out'],
        answer: [
          `A phone gets lost more easily than a password. ${SESSION_NOTICE_MS / 60_000} minutes before, the app offers to sign in again in place. Your agents do not notice. Without a network the last view stays readable and Stop can still be saved.`,
        ],
      },
      {
        id: 'shared-phone',
        ask: 'Can someone else on my phone see my portfolio?',
        also: ['snapshot', 'sign out'],
        answer: [
          'Signing out deletes what the app kept of you on the device. Under [Security](/security) you can switch the kept snapshot off, or wipe the device.',
        ],
      },
      {
        id: 'who-has-data',
        ask: 'Who gets my data?',
        also: ['tracking', 'analytics', 'gdpr'],
        answer: [
          'The operator of this server, and those whom you use through it: the identity provider, the payment provider, your browser’s push service. The [privacy policy](/privacy) has the list, with how long each thing is kept.',
        ],
      },
      {
        id: 'export',
        ask: 'Can I take my data with me?',
        also: ['export', 'json', 'csv', 'download', 'gdpr'],
        answer: [
          'Yes. Under [Settings](/settings#data), “Your data” saves everything the server holds about you, as JSON or as CSV tables. The trades on the device can be saved under [Portfolio](/portfolio), without a network as well.',
        ],
      },
      {
        id: 'delete-account',
        ask: 'How do I delete my account?',
        also: ['deletion', 'close', 'remove', 'erase'],
        answer: [
          'Under [Settings](/settings#data). It says what will end, asks for a typed word and your sign-in, then stops your agents, cancels a plan and deletes what is held about you. The [privacy policy](/privacy#deleting-your-account) says what stays, and why.',
        ],
      },
      {
        id: 'help',
        ask: 'Where do I get help?',
        also: ['support', 'contact', 'bug', 'problem'],
        answer: [
          'Under [Support](/support), once you are signed in: write what happened, see exactly which facts about your device would go with it, and read the answer there. With Pro Max your requests stand in front.',
        ],
      },
      {
        id: 'invite',
        ask: 'What do I get for inviting somebody?',
        also: ['referral', 'referrals', 'friend', 'link'],
        answer: [
          `When the first plan of the person you invited is paid, both of you get ${REFERRAL_REWARD_DAYS} days, at most ${REFERRAL_REWARDS_A_YEAR} times a year. Your link stands under [Referrals](/referrals). You see the day somebody joined, never who.`,
        ],
      },
      {
        id: 'keyboard',
        ask: 'Does it work with a keyboard, a screen reader, large type?',
        also: ['accessibility', 'colour blind', 'contrast'],
        answer: [
          'Yes. Every chart has its table, gains and losses carry a sign as well as a colour, colours can be swapped under [Settings](/settings#appearance), and what must be held can be confirmed in a dialogue instead.',
        ],
      },
    ],
  },
];

export const ALL_QUESTIONS: readonly Question[] = QUESTIONS.flatMap(({ questions }) => questions);

export const SEARCHED_QUESTIONS: readonly Searchable[] = ALL_QUESTIONS.map(
  ({ id, ask, answer, also = [] }) => ({
    id,
    title: ask,
    also,
    summary: '',
    headings: [],
    passages: answer.map(plainOf),
  }),
);
