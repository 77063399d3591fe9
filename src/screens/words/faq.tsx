/** Questions traders ask, answered for this product as it is; refuses answers for a product to come. */
import { Article } from './article.tsx';

export function Faq() {
  return (
    <Article
      title="FAQ"
      lead="Short answers. The library, once you are signed in, has the long ones."
      sections={[
        { heading: 'Is this real money?', body: <p>No. Accounts here are paper accounts: they start with a deposit that nobody paid, and every amount is marked PAPER. Prices can be real; the money is not.</p> },
        { heading: 'What happens to my agents when I lose the connection?', body: <p>Nothing. They run on the server. Your device shows the last state with its age, and what you command waits in a queue on the device until the server has taken it.</p> },
        { heading: 'Can a Stop get lost, or arrive twice?', body: <p>It is written to the device's storage before the app says “saved”, it carries an id of its own, and it stays in the queue until the server answers with that id. The server carries out each id once. If your device cannot store it, the app says so at once.</p> },
        { heading: 'Why is a stopped agent still holding something?', body: <p>Stop ends new trades and keeps the stop losses of open positions on guard: “Stopped, protecting 2 positions”. To leave the market as well, use Stop and sell.</p> },
        { heading: 'Can a Start wait in the queue too?', body: <p>Yes, for 30 minutes without asking again. After that, or if the agent changed meanwhile, you are asked to confirm; after 24 hours it lapses and says so.</p> },
        { heading: 'Why did my agent not trade?', body: <p>Open the agent: each look at the market is listed with its reason, such as a signal under the threshold, too little history, a stale price, or a guard that holds it back and until when.</p> },
        { heading: 'What does “signal strength” mean?', body: <p>How far the pool's signal is from nothing, between 0 and 1, given the pair's own volatility and how complete its data is. It is not the chance of winning.</p> },
        { heading: 'What happens when my plan or trial ends?', body: <p>Agents stop opening positions; exits go on. Nothing is deleted. You cannot start or create agents until you have a plan, and you can always stop.</p> },
        { heading: 'Why must I sign in again after four hours?', body: <p>A phone gets lost more easily than a password. Ten minutes before, the app offers to sign in again in place. Offline, the last view stays readable and Stop can still be queued.</p> },
        { heading: 'Can someone else on my phone see my portfolio?', body: <p>Signing out deletes the data kept on the device. Under Security you can switch the kept snapshot off, or wipe the device.</p> },
      ]}
    />
  );
}
