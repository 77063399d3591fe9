/** The terms on which the service is used; refuses terms that the product does not keep. */
import { Article } from './article.tsx';

export function Terms() {
  return (
    <Article
      title="Terms of Service"
      updated="1 November 2026"
      lead="These terms are between you and the operator of the server that you reach with this app."
      sections={[
        { heading: 'The service', body: <p>Tradewind runs trading agents on a paper account by the rules and limits that you set, and shows their decisions, trades and results. It gives no advice, manages no money and holds none of your assets.</p> },
        { heading: 'Your account', body: <p>You need to be of age and allowed to use such a service where you live. Keep your password to yourself. What is done in a signed-in session counts as done by you. Sessions end four hours after sign-in.</p> },
        { heading: 'Plans, trial and payment', body: <ul>
          <li>A paid plan runs by the month and renews until you cancel it in the billing portal.</li>
          <li>Cancelling takes effect at the end of the paid period.</li>
          <li>The free trial can be had once. It ends by itself and turns into nothing that costs.</li>
          <li>When a plan or trial ends, agents stop opening positions, exits go on, and your data stays.</li>
        </ul> },
        { heading: 'Fair use', body: <p>Do not attack the service, read other people's data, or use it to break a law. Calls are limited in number; stopping an agent has a limit of its own so that it works when others do not.</p> },
        { heading: 'What is not promised', body: <p>The service is offered as it is. Prices can be late or wrong, agents can be halted, and the service can be down. The operator is not liable for losses that come from trading decisions, yours or an agent's, as far as the law allows this.</p> },
        { heading: 'Ending', body: <p>You may close your account at any time. The operator may close it for breach of these terms, and then says why.</p> },
      ]}
    />
  );
}
