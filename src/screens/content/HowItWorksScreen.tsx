/** How an agent works, step by step, with a diagram. */
import { FILL_FIGURES, percent } from './stated-figures.ts';
import { DocumentPage } from './DocumentPage.tsx';
import { HowItWorksDiagram } from './HowItWorksDiagram.tsx';
import type { Block } from './rich-text.ts';

export const HOW_IT_WORKS: readonly Block[] = [
  { h: '1. You set the limits' },
  'You choose the agent’s pairs or a pool, a risk profile, the largest position and how often it ' +
    'checks the market: every 5 minutes, every 20 minutes, or daily at 00:00 UTC. The profile sets ' +
    'how strong a signal must be, how large a position can get, and where the stop loss is. With ' +
    'the Standard plan or higher, you can set these values yourself.',
  { h: '2. It decides on closed candles' },
  'When a candle closes, the agent measures how unusual the latest move is for that pair and ' +
    'turns it into a signal strength between 0 and 1. Below your threshold, the agent does not ' +
    'trade and says so: “No trade: signal 0.41, needs 0.55.” The strength is not a probability of ' +
    'profit.',
  { h: '3. It sizes the position' },
  'The size is the lowest of several limits: a share of your equity, your largest position, the ' +
    'loss you accept at the stop, a volatility target, your largest single trade, ' +
    `${percent(FILL_FIGURES.participation)} of the candle’s volume, and your free cash. It is ` +
    'rounded down to the exchange’s lot size.',
  { h: '4. It fills at the next price' },
  'A decision on one candle is filled at the first price after it: at the ask when buying, at ' +
    'the bid when selling, plus fee and price impact. The candle’s own price is never used, ' +
    'because that would be looking into the future. Live, the order goes to the exchange, and ' +
    'only what the exchange confirms counts as filled.',
  { h: '5. It protects open positions' },
  'Stop losses are checked on every price, not only at the agent’s checks, and also after you ' +
    'stop the agent. Guards block new entries after a bad price, a stale feed, a losing day or a ' +
    'deep drawdown. They never block an exit. Live, a stop loss rests at the exchange where the ' +
    'exchange takes it, and the app says where it does not.',
  { h: '6. It records everything' },
  'Every check is listed with its reason. Every fill keeps its price, fee and terms. Cash, ' +
    'positions, fees and results add up to the last digit, and you can open every figure to see ' +
    'how.',
  { h: 'When you are offline' },
  'Agents run on the server, so they keep running without your phone. The app shows your last ' +
    'portfolio with its age. If you press Stop, it is saved on this device, sent first when you ' +
    'are back online, and carried out exactly once. Until the server confirms it, the app does not ' +
    'say “Stopped”.',
  {
    note:
      'Every agent starts on paper. If the operator of this server offers live trading, you can ' +
      'connect your own exchange account and start an agent live, with a confirmation each time. ' +
      'Read the [FAQ](/faq) and the [risk disclosure](/risk-disclosure) first.',
    title: 'Paper and live.',
  },
];

export default function HowItWorksScreen() {
  return (
    <DocumentPage
      title="How it works"
      blocks={HOW_IT_WORKS}
      lead="An agent follows a set of rules. It checks the market at fixed times, decides, and records why. You choose the rules and the limits."
    >
      <HowItWorksDiagram />
    </DocumentPage>
  );
}
