/** Library articles on risk profiles, position sizes, stop losses, drawdown and guards. */
import { PRESET_RISK } from '../../agents/agent-risk.ts';
import {
  FILL_FIGURES,
  GUARD_FIGURES,
  LIVE_FIGURES,
  percent,
  recovery,
  RISK_SIZES,
} from '../../content/stated-figures.ts';
import type { LibraryArticle } from '../article.ts';

const PROFILES = ['Conservative', 'Moderate', 'Aggressive'] as const;
const perProfile = (value: (profile: (typeof PROFILES)[number]) => string): string[] =>
  PROFILES.map(value);
const AGENTS = { to: '/agents', label: 'Agents' };
const TRADING = { to: '/trading', label: 'Trading settings' };
const gain = (loss: number): string => `${(recovery(loss) * 100).toFixed(1)} %`;

export const RISK: readonly LibraryArticle[] = [
  {
    id: 'risk-profiles',
    topic: 'Risk',
    title: 'The three risk profiles in numbers',
    summary: 'What Conservative, Moderate and Aggressive set, and what you can change.',
    also: ['conservative', 'moderate', 'aggressive', 'presets', 'limits', 'settings'],
    blocks: [
      {
        table: {
          caption: 'What each profile sets',
          head: ['', ...PROFILES],
          rows: [
            ['Signal needed', ...perProfile((p) => PRESET_RISK[p].threshold.toFixed(2))],
            [
              'Largest position, share of equity',
              ...perProfile((p) => `${PRESET_RISK[p].position} %`),
            ],
            ['Stop loss, below the price paid', ...perProfile((p) => `${PRESET_RISK[p].stop} %`)],
            [
              'Risk per trade, share of equity',
              ...perProfile((p) => percent(RISK_SIZES[p].perTrade)),
            ],
            [
              'Volatility target, per year',
              ...perProfile((p) => percent(RISK_SIZES[p].volatility)),
            ],
            [
              'No new trades after a daily loss of',
              ...perProfile((p) => `${PRESET_RISK[p].dayLoss} %`),
            ],
            [
              'No new trades after a drawdown of',
              ...perProfile((p) => `${PRESET_RISK[p].drawdown} %`),
            ],
          ],
        },
      },
      { h: 'What you can change' },
      'With the Standard plan or the trial, you can set the threshold, the largest position and ' +
        'the stop loss of each profile under Trading settings. They apply to all your agents with ' +
        'that profile. The other rows cannot be changed.',
      { h: 'What a profile is not' },
      'Conservative means smaller and slower, not safe. With many agents, small positions add ' +
        'up. The limits on daily loss and drawdown cover the whole account, but they only stop ' +
        '**new** trades. They do not sell.',
    ],
    screens: [TRADING, AGENTS, { to: '/guided-setup', label: 'Guided setup' }],
    next: ['position-size', 'stops', 'guards'],
  },
  {
    id: 'position-size',
    topic: 'Risk',
    title: 'How a position gets its size',
    summary: 'Several limits apply, and the lowest one wins.',
    also: ['sizing', 'order size', 'volatility target', 'max position', 'how much'],
    blocks: [
      'The signal decides whether to trade. The size is the lowest of these limits:',
      {
        list: [
          'a share of your equity, set by the profile;',
          'the agent’s own **largest position**, in money;',
          'the risk per trade, divided by the distance to the stop loss;',
          'the volatility target: a pair that is twice as volatile gets half as much, times the signal strength;',
          'your **largest single trade** in Trading settings;',
          `${percent(FILL_FIGURES.participation)} of the candle’s volume; the rest of the order stays unfilled;`,
          'your free cash, after fee and impact.',
        ],
      },
      { h: 'An example' },
      {
        note:
          'Equity is 10,000. Ten percent of it is 1,000. A risk of half a percent with a stop loss ' +
          '5 % away also gives 1,000. A pair with a yearly volatility of 80 %, a signal of 0.60 ' +
          'and a target of 20 % can have 20 ÷ 80 × 0.60 of equity: 1,500. The lowest is 1,000. ' +
          'With a volatility of 150 % it would be 800.',
        title: 'Moderate.',
      },
      { h: 'Rounding and minimums' },
      'The size is rounded down to the lot size of the exchange. Below its minimum order nothing ' +
        'is traded, and the decision says so. A position that is off target stays as it is while ' +
        'correcting it would cost more than it gains.',
    ],
    screens: [AGENTS, TRADING],
    next: ['risk-profiles', 'fees', 'decisions'],
  },
  {
    id: 'stops',
    topic: 'Risk',
    title: 'Stop losses, and the gap below them',
    summary: 'Checked on every price and filled at the next one, which can be far below the stop.',
    also: ['stop loss', 'stop-loss', 'gap', 'slippage', 'protecting', 'crash', 'liquidity'],
    blocks: [
      { h: 'What it does' },
      'The stop price is set when a position is opened, a fixed percentage below the average ' +
        'price paid. It is compared with the bid on every new price, between the agent’s checks ' +
        'too. It stays active after you stop the agent, after your plan ends and while you are ' +
        'offline: “Stopped, protecting 2 positions”.',
      'When an agent buys more of the same pair, the stop moves with the new average price, but never down.',
      { h: 'What it cannot do' },
      'A stop loss sells at the next price, not at the stop price. If the market gaps from 100 ' +
        'to 91, a stop at 95 sells at 91, minus spread, impact and fee.',
      {
        table: {
          caption: 'Position of 1,000 bought at 100 with a stop 5 % below, before costs',
          head: ['First price at or below the stop', 'Loss'],
          rows: [
            ['95.00', '50'],
            ['93.00', '70'],
            ['91.00', '90'],
            ['70.00', '300'],
          ],
        },
      },
      'Large coins have lost a third of their price within hours, small ones almost all of it. ' +
        'The “worst loss” shown before a start assumes that the stop fills at its price: the worst ' +
        'case of an ordinary day.',
      { h: 'After a stop' },
      {
        list: [
          `The agent does not trade that pair for ${GUARD_FIGURES.afterStopHours} hours, so that ` +
            'it does not buy back into the same fall.',
          `${GUARD_FIGURES.clusterStops} stops within ${GUARD_FIGURES.clusterWithinHours} hours ` +
            `pause all entries of the agent for ${GUARD_FIGURES.clusterPauseHours} hours: by then ` +
            'it is the market that has turned, not one coin.',
        ],
      },
      { h: 'When the server was down' },
      'Stops are not watched while the server is down. When it is back, it goes through the ' +
        'missed candles. A stop that was reached sells at the candle’s open or at the stop, ' +
        'whichever is lower. A live stop that rests at the exchange works meanwhile, but sells ' +
        `nothing below its limit (${percent(LIVE_FIGURES.stopRoom)} under the stop price, Coinbase ` +
        `${percent(LIVE_FIGURES.stopRoomCoinbase)}) until the server is back and sells.`,
    ],
    screens: [AGENTS, { to: '/portfolio', label: 'Portfolio' }],
    next: ['guards', 'queued-stop', 'drawdown'],
  },
  {
    id: 'drawdown',
    topic: 'Risk',
    title: 'Drawdown, and the way back up',
    summary: 'Losses and gains are not symmetrical: after losing half, you need to double.',
    also: ['recovery', 'loss', 'maximum drawdown', 'high-water mark', 'arithmetic'],
    blocks: [
      'Drawdown is how far equity is below its highest value so far. The maximum drawdown is the ' +
        'largest of these. It tells what a result felt like, which the total return does not.',
      {
        formula: 'gain needed = 1 ÷ (1 − loss) − 1',
        says: 'on what is left, to get back to where you were',
      },
      {
        table: {
          caption: 'Gain needed to recover a loss',
          head: ['Lost', 'Gain needed'],
          rows: [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 0.9].map((loss) => [percent(loss), gain(loss)]),
        },
      },
      { h: 'Why the limits are where they are' },
      `Agents open no new positions once the account is ${PRESET_RISK.Conservative.drawdown}, ` +
        `${PRESET_RISK.Moderate.drawdown} or ${PRESET_RISK.Aggressive.drawdown} percent, by ` +
        'profile, below its highest value since the agent’s start. After a loss of 30 % you ' +
        'already need a gain of 43 %. A halted agent says so and waits until you stop it and ' +
        'start it again. Its exits and stop losses stay active.',
      { h: 'How often it happens' },
      'A strategy with a Sharpe ratio of 1, which is good, spends most of its days below its ' +
        'high. Long drawdowns are normal for every strategy. The question before a start is not ' +
        'whether one will come, but whether you will sit through it.',
    ],
    screens: [
      { to: '/analytics', label: 'Analytics' },
      { to: '/performance', label: 'Performance' },
    ],
    next: ['guards', 'risk-profiles', 'backtests'],
  },
  {
    id: 'guards',
    topic: 'Risk',
    title: 'Guards: what keeps an agent from trading',
    summary: 'Each guard blocks entries for a stated time and reason. None blocks an exit.',
    also: [
      'halted',
      'blocked',
      'cooldown',
      'day loss',
      'stale feed',
      'bad price',
      'pause',
      'kill switch',
    ],
    blocks: [
      {
        table: {
          caption: 'Guards, when they act and for how long',
          head: ['Guard', 'Acts when', 'Until'],
          rows: [
            [
              'Bad price',
              `the spread is over ${percent(GUARD_FIGURES.spreadMost)}, or the quote is more ` +
                `than ${percent(GUARD_FIGURES.jumpMost)} away from the candle`,
              'the next check',
            ],
            [
              'Stale feed',
              'there was no price since the candle closed, or the first one came more than an ' +
                'hour and more than a candle late',
              'the next check',
            ],
            ['Cooldown', 'the pair was sold', `${GUARD_FIGURES.cooldownHours} hour`],
            [
              'After a stop',
              'the pair’s stop loss was hit',
              `${GUARD_FIGURES.afterStopHours} hours`,
            ],
            [
              'Several stops',
              `${GUARD_FIGURES.clusterStops} stops within ${GUARD_FIGURES.clusterWithinHours} hours`,
              `${GUARD_FIGURES.clusterPauseHours} hours`,
            ],
            [
              'Off its peg',
              'the stablecoin to buy, or the one to pay with, was more than ' +
                `${percent(GUARD_FIGURES.pegMost)} away from 1`,
              `all prices of ${GUARD_FIGURES.pegBackHours} hours were back within that range`,
            ],
            [
              'Correlated pairs',
              `pairs whose daily returns correlate at ${GUARD_FIGURES.togetherFrom} or more ` +
                `would together exceed ${GUARD_FIGURES.togetherTimes} times the largest position`,
              'they hold less',
            ],
            [
              'Day loss',
              'the account has lost its limit since the start of the day',
              'midnight UTC',
            ],
            [
              'Drawdown',
              'the account is too far below its high since the start',
              'you stop the agent and start it again',
            ],
          ],
        },
      },
      'Day loss and drawdown are measured on the **whole account**, so several agents can halt ' +
        'at once, each by its own profile.',
      { h: 'Trading halts and settings' },
      'The operator of the server can pause new trades for everyone, or for one exchange, user ' +
        'or agent. Your agents’ screens then say who, why and until when. Entries are also blocked ' +
        'while trading is off or paused under Trading settings, and after a plan has ended. Exits, ' +
        'stop losses and Stop always work.',
      { h: 'What a decision says' },
      {
        note: '“No trade: The stop of ETH/USDT was hit: no new trade there until 2026-03-02 14:05 UTC.”',
        title: 'Example.',
      },
    ],
    screens: [AGENTS, TRADING],
    next: ['decisions', 'stops', 'drawdown'],
  },
];
