/** What is kept about a person, where and for how long, as the code does it; refuses to leave the device's part out. */
import { Article } from './article.tsx';

export function Privacy() {
  return (
    <Article
      title="Privacy Policy"
      updated="1 November 2026"
      lead="What is kept about you, where, and how it goes away."
      sections={[
        { heading: 'On the server', body: <ul>
          <li>Your e-mail address and an account id, from the identity provider (Firebase Authentication). Your password is known to that provider alone.</li>
          <li>Your settings, agents, decisions, trades and ledger. Decisions are kept in full for 30 days, then as daily counts. Trades and ledger stay as long as the account.</li>
          <li>Receipts of your commands for 30 days, so that a repeat is recognised.</li>
          <li>Your plan and the payment provider's ids for it. Card numbers never reach the server.</li>
        </ul> },
        { heading: 'On your device', body: <ul>
          <li>A snapshot of your last portfolio, agents, trades and settings, so that the app opens without a network. It lies in a database of its own in this browser. It is not encrypted beyond what your device does, because the key would lie beside it.</li>
          <li>Commands that have not reached the server yet.</li>
          <li>Your account id, e-mail address and time of sign-in, to paint the right view at start. The identity provider's library keeps its own sign-in state.</li>
          <li>Choices such as light or dark.</li>
        </ul> },
        { heading: 'Your choice', body: <p>Under Security, “Keep my last snapshot on this device” switches the snapshot off. It does not govern the queue: a Stop is kept until it is delivered. Signing out deletes your database on this device, without a network as well.</p> },
        { heading: 'Third parties', body: <p>The app talks to this server. It asks others only when you act (sign in with Google, pay, connect a wallet), with one exception: if this server fails while you are online, public prices are read directly from an exchange, labelled with its name. No analytics run unless the operator has switched them on, and then only in the wallet.</p> },
        { heading: 'Logs', body: <p>Server logs hold no e-mail addresses, tokens or amounts.</p> },
        { heading: 'Your rights', body: <p>You can ask the operator for a copy of what is held about you, and for its deletion.</p> },
      ]}
    />
  );
}
