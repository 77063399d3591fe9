/** The articles on profiles, sizes, stops, drawdown and guards; refuses to call anything safe. */
import { PRESET_RISK } from '../../agents/agent-risk.ts';
import {
  FILL_FIGURES,
  GUARD_FIGURES,
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
    summary:
      'What Conservative, Moderate and Aggressive set, and which of it you can set yourself.',
    also: ['conservative', 'moderate', 'aggressive', 'presets', 'limits', 'settings'],
    blocks: [
      {
        table: {
          caption: 'What each profile sets',
          head: ['', ...PROFILES],
          rows: [
            ['Signal needed', ...perProfile((p) => PRESET_RISK[p].threshold.toFixed(2))],
            ['Largest position, of equity', ...perProfile((p) => `${PRESET_RISK[p].position} %`)],
            ['Stop loss, under the price paid', ...perProfile((p) => `${PRESET_RISK[p].stop} %`)],
            ['Risk of one trade, of equity', ...perProfile((p) => percent(RISK_SIZES[p].perTrade))],
            [
              'Volatility aimed at, a year',
              ...perProfile((p) => percent(RISK_SIZES[p].volatility)),
            ],
            [
              'No new trades after a day’s loss of',
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
      'With the Standard plan or the trial you set your own threshold, largest position and stop for a profile, under Trading settings. They then hold for all of your agents of that profile. The other rows stay.',
      { h: 'What a profile is not' },
      'Conservative is smaller and slower. It is not free of loss: with many agents, small positions add up, and the limits for a day’s loss and a drawdown look at the whole account only to stop **new** trades. They do not sell.',
    ],
    screens: [TRADING, AGENTS, { to: '/guided-setup', label: 'Guided setup' }],
    next: ['position-size', 'stops', 'guards'],
  },
  {
    id: 'position-size',
    topic: 'Risk',
    title: 'How a position gets its size',
    summary: 'Several limits, and the smallest one wins.',
    also: ['sizing', 'order size', 'volatility target', 'max position', 'how much'],
    blocks: [
      'A signal says whether. The size says how much, and it is the least of these:',
      {
        list: [
          'a share of your equity, by profile;',
          'the agent’s own **largest position**, in money;',
          'the loss you accept in one trade, divided by the distance to the stop;',
          'a volatility target: a pair twice as restless gets half as much, times the signal strength;',
          'your **largest single trade** of the trading settings;',
          `${percent(FILL_FIGURES.participation)} of what was traded in the candle; the rest of the order is left unfilled;`,
          'your free cash, fee and impact included.',
        ],
      },
      { h: 'An example' },
      {
        note: 'Equity 10,000, Moderate. Ten percent of equity is 1,000. Half a percent at risk with a stop 5 % away is also 1,000. A pair that swings 80 % a year, with a signal of 0.60 and a target of 20 %, may have 20 ÷ 80 × 0.60 of equity: 1,500. The least is 1,000. At a swing of 150 % a year it would be 800.',
        title: 'Moderate.',
      },
      { h: 'Afterwards' },
      'The size is rounded down to what the venue trades. Under the venue’s smallest order nothing is done, and the decision says so. A position that is off its target by less than trading would cost is left alone.',
    ],
    screens: [AGENTS, TRADING],
    next: ['risk-profiles', 'fees', 'decisions'],
  },
  {
    id: 'stops',
    topic: 'Risk',
    title: 'Stop losses, and the gap below them',
    summary: 'Checked on every price, filled at the price that is there. That may be far below.',
    also: ['stop loss', 'stop-loss', 'gap', 'slippage', 'protecting', 'crash', 'liquidity'],
    blocks: [
      { h: 'What it does' },
      'The stop price is set when a position is opened: so many percent under the average price paid. It is compared with the bid on every price that arrives, whether or not the agent is due to look. It stays on guard after you stop the agent, after your plan ends, and while you are offline: “Stopped, protecting 2 positions”.',
      'When an agent buys more of the same pair, the stop is set under the new average price, but never lower than it was.',
      { h: 'What it cannot do' },
      'A stop is an order to sell at the next price, not at the stop price. If the market jumps from 100 to 91, a stop at 95 sells at 91, less spread, impact and fee.',
      {
        table: {
          caption: 'Position of 1,000 with a stop 5 % below, without costs',
          head: ['First price at or under the stop', 'Loss'],
          rows: [
            ['95.00', '50'],
            ['93.00', '70'],
            ['91.00', '90'],
            ['70.00', '300'],
          ],
        },
      },
      'Large coins have lost a third of their price within hours and small ones almost all. The “worst loss” shown before a start assumes that the stop fills at its price. It is the worst of the ordinary days.',
      { h: 'After a stop' },
      {
        list: [
          `That pair is left alone for ${GUARD_FIGURES.afterStopHours} hours, so that the agent does not buy back into the same fall.`,
          `${GUARD_FIGURES.clusterStops} stops within ${GUARD_FIGURES.clusterWithinHours} hours pause every entry of the agent for ${GUARD_FIGURES.clusterPauseHours} hours: then the market has turned, not one coin.`,
        ],
      },
      { h: 'When the server was down' },
      'Nobody watched then. On its return the missed candles are gone through, and a stop that was touched sells at the worse of the candle’s opening and the stop.',
    ],
    screens: [AGENTS, { to: '/portfolio', label: 'Portfolio' }],
    next: ['guards', 'queued-stop', 'drawdown'],
  },
  {
    id: 'drawdown',
    topic: 'Risk',
    title: 'Drawdown, and the way back up',
    summary: 'Losses and gains are not symmetrical: half lost must be doubled.',
    also: ['recovery', 'loss', 'maximum drawdown', 'high-water mark', 'arithmetic'],
    blocks: [
      'Drawdown is how far equity stands below its highest value so far. The maximum drawdown is the worst of these, and it is what a result felt like, which the total return does not tell.',
      {
        formula: 'gain needed = 1 ÷ (1 − loss) − 1',
        says: 'on what is left, to be where you were',
      },
      {
        table: {
          caption: 'The way back',
          head: ['Lost', 'Gain needed'],
          rows: [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 0.9].map((loss) => [percent(loss), gain(loss)]),
        },
      },
      { h: 'Why the limits lie where they do' },
      `Agents open nothing new once the account stands ${PRESET_RISK.Conservative.drawdown}, ${PRESET_RISK.Moderate.drawdown} or ${PRESET_RISK.Aggressive.drawdown} percent, by profile, under its highest value since the agent’s start. From 30 % the way back is already 43 %. A halted agent says so and waits to be started again; its exits go on, and what it holds keeps its stop.`,
      { h: 'How often it happens' },
      'A rule with a Sharpe ratio of 1, which is good, spends most of its days under its high. Long drawdowns are the ordinary state of every strategy. The question before a start is not whether, but whether you will sit through it.',
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
    summary: 'Each blocks entries for a stated time and reason. None blocks an exit.',
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
              `the spread is over ${percent(GUARD_FIGURES.spreadMost)}, or the quote is more than ${percent(GUARD_FIGURES.jumpMost)} off the candle`,
              'the next look',
            ],
            [
              'Stale feed',
              'no price came since the candle closed, or the first one came over an hour late and over a candle late',
              'the next look',
            ],
            ['Cooldown', 'the pair was sold', `${GUARD_FIGURES.cooldownHours} hour`],
            ['After a stop', 'the pair’s stop was hit', `${GUARD_FIGURES.afterStopHours} hours`],
            [
              'Stops close together',
              `${GUARD_FIGURES.clusterStops} stops within ${GUARD_FIGURES.clusterWithinHours} hours`,
              `${GUARD_FIGURES.clusterPauseHours} hours`,
            ],
            [
              'Off its peg',
              `a stablecoin that is bought, or the one that is paid with, stood more than ${percent(GUARD_FIGURES.pegMost)} off one`,
              `every price of ${GUARD_FIGURES.pegBackHours} hours was within it again`,
            ],
            [
              'Moves together',
              `pairs whose daily returns correlate at ${GUARD_FIGURES.togetherFrom} or more would hold more than ${GUARD_FIGURES.togetherTimes} of the largest positions together`,
              'they hold less',
            ],
            ['Day loss', 'the account lost its share of the day’s first equity', 'midnight UTC'],
            [
              'Drawdown',
              'the account is too far under its high since the start',
              'you start it again',
            ],
          ],
        },
      },
      'Day loss and drawdown look at the equity of the **whole account**, so several agents may halt at once, each by its own profile.',
      { h: 'Above the guards' },
      'Whoever runs the server can switch new trades off for everybody, for one venue, person or agent: then your agents’ screens say who, why and until when. Trading switched off or paused under Trading settings, and a plan that has ended, block entries as well. Exits, stops and your own Stop always work.',
      { h: 'How it reads' },
      {
        note: '“No trade: The stop of ETH/USDT was hit: no new trade there until 2026-03-02 14:05 UTC.”',
        title: 'Example.',
      },
    ],
    screens: [AGENTS, TRADING],
    next: ['decisions', 'stops', 'drawdown'],
  },
];
