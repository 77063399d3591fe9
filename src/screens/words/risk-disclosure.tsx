/** What can go wrong with automated crypto trading, said plainly; refuses to soften it. */
import { Article } from './article.tsx';

export function RiskDisclosure() {
  return (
    <Article
      title="Risk Disclosure"
      updated="1 November 2026"
      lead="Crypto prices can halve in an hour. Automated rules act on them without asking you each time. Read this before you start an agent."
      sections={[
        { heading: 'You can lose', body: <p>Trading crypto assets can lose all the money put into it. No profile, pool or setting here is safe; “Conservative” is smaller and slower, not free of loss. Nothing in this app is advice, and nothing in it promises a profit.</p> },
        { heading: 'Results on paper are not results', body: <p>A paper account trades at observed prices with a stated model of fees, spread and impact. Real orders meet queues, partial fills, outages and prices that move because of them. Real results are usually worse.</p> },
        { heading: 'The past does not repeat on request', body: <p>Momentum in crypto assets has paid in some years, was not significant in others, and crashes when markets turn. Peg arbitrage earns little until a stablecoin breaks, and then loses a lot. A backtest chooses from a past that is known; you trade into one that is not.</p> },
        { heading: 'A stop loss is not a guarantee', body: <p>When a price jumps past the stop, the exit happens at the price that is there, not at the stop. In a fast fall that can be far below. When an exchange is down, no exit happens at all until it is back.</p> },
        { heading: 'Machines fail', body: <p>Servers, networks, exchanges and programs stop. The app is built to survive that without losing or doubling a command, but a command you give while there is no connection waits until there is one. If you must be out of a position at once, do not rely on a queue.</p> },
        { heading: 'Your own limits', body: <p>Use only what you can afford to lose. Set the largest position and the stop yourself, look at the worst loss shown before each start, and check what the tax law where you live says about every trade.</p> },
      ]}
    />
  );
}
