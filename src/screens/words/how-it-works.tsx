/** How an agent works, step by step; refuses to promise a result. */
import { Article } from './article.tsx';

export function HowItWorks() {
  return (
    <Article
      title="How it works"
      lead="An agent is a small set of rules that looks at the market at fixed times, decides, and writes down why. You choose the rules and the limits; it does the watching."
      sections={[
        { heading: '1. You set the limits', body: (
          <p>You give an agent its pairs or a pool, a risk profile, a largest position and how often it looks: every 5 minutes, every 20 minutes, or daily at 00:00 UTC. The profile fixes how strong a signal must be, how large a position may get, and where the stop loss lies. You can set these values yourself from the Standard plan on.</p>
        ) },
        { heading: '2. It decides on closed candles', body: (
          <p>When a candle has closed, the agent computes a signal in units of the pair's own volatility and turns it into a strength between 0 and 1. Below your threshold nothing happens, and the agent says so: “No trade: signal 0.41, needs 0.55.” The strength is not a probability of profit.</p>
        ) },
        { heading: '3. It sizes the position', body: (
          <p>The size is the least of several limits: a share of equity, your largest position, the loss you accept at the stop, a volatility target, one hundredth of the candle's volume, and your free cash. It is rounded down to what the venue trades.</p>
        ) },
        { heading: '4. It fills at the next price', body: (
          <p>A decision on one candle is filled at the first price after it, at the ask when buying and the bid when selling, with fee and market impact. A candle's own price is never used to trade on that candle: that would be looking into the future.</p>
        ) },
        { heading: '5. It guards what it holds', body: (
          <p>Stop losses are checked on every price, not only when the agent looks, and also after you stop the agent. Guards for a bad price, a stale feed, a losing day or a deep drawdown block new entries. They never block an exit.</p>
        ) },
        { heading: 'When the connection goes', body: (
          <p>Agents run on the server, so they go on without your phone. The app shows your last portfolio with its age. If you press Stop, it is saved on the device, sent first when there is a connection, and carried out exactly once. Until the server has answered, the app says that it has not.</p>
        ) },
      ]}
    />
  );
}
