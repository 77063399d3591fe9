/** How an agent works, step by step, with a picture; refuses to promise a result. */
import { FILL_FIGURES, percent } from './stated-figures.ts';
import { DocumentPage } from './DocumentPage.tsx';
import { HowItWorksDiagram } from './HowItWorksDiagram.tsx';
import type { Block } from './rich-text.ts';

export const HOW_IT_WORKS: readonly Block[] = [
  { h: '1. You set the limits' },
  'You give an agent its pairs or a pool, a risk profile, a largest position and how often it looks: every 5 minutes, every 20 minutes, or daily at 00:00 UTC. The profile fixes how strong a signal must be, how large a position may get, and where the stop loss lies. From the Standard plan on you can set these values yourself.',
  { h: '2. It decides on closed candles' },
  'When a candle has closed, the agent’s pool computes a signal in units of the pair’s own volatility and turns it into a strength between 0 and 1. Below your threshold nothing happens, and the agent says so: “No trade: signal 0.41, needs 0.55.” The strength is not a probability of profit.',
  { h: '3. It sizes the position' },
  `The size is the least of several limits: a share of equity, your largest position, the loss you accept at the stop, a volatility target, your largest single trade, ${percent(FILL_FIGURES.participation)} of the candle’s volume, and your free cash. It is rounded down to what the venue trades.`,
  { h: '4. It fills at the next price' },
  'A decision on one candle is filled at the first price after it, at the ask when buying and at the bid when selling, with fee and market impact. A candle’s own price is never used to trade on that candle: that would be looking into the future.',
  { h: '5. It guards what it holds' },
  'Stop losses are checked on every price, not only when the agent looks, and also after you stop the agent. Guards for a bad price, a stale feed, a losing day or a deep drawdown block new entries. They never block an exit.',
  { h: '6. It writes everything down' },
  'Each look leaves a line with its reason. Each fill keeps its price, fee and terms for good. Cash, positions, fees and results add up to the last digit, and the figures can be opened into their equations.',
  { h: 'When the connection goes' },
  'Agents run on the server, so they go on without your phone. The app shows your last portfolio with its age. If you press Stop, it is saved on the device, sent first when there is a connection, and carried out exactly once. Until the server has answered, the app says that it has not.',
  {
    note: 'All of it on paper money. What that is, and what it is not, stands in the [questions](/faq) and in the [risk disclosure](/risk-disclosure).',
    title: 'PAPER.',
  },
];

export default function HowItWorksScreen() {
  return (
    <DocumentPage
      title="How it works"
      blocks={HOW_IT_WORKS}
      lead="An agent is a small set of rules that looks at the market at fixed times, decides, and writes down why. You choose the rules and the limits; it does the watching."
    >
      <HowItWorksDiagram />
    </DocumentPage>
  );
}
