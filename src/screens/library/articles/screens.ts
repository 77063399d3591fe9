/**
 * The articles on reading the screens, with and without a network, and on the account; refuses to
 * promise what the server has not said.
 */
import {
  DECISIONS_KEEP_DAYS,
  OUTBOX_MAX,
  RECEIPT_KEEP_DAYS,
  SESSION_MAX_AGE_MS,
  SESSION_NOTICE_MS,
  START_FRESH_MS,
  START_LAPSE_MS,
} from '../../../../contract/limits.ts';
import { PRESET_RISK } from '../../agents/agent-risk.ts';
import { STOP_PLACES } from '../../content/stated-figures.ts';
import type { LibraryArticle } from '../article.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DASHBOARD = { to: '/dashboard', label: 'Dashboard' };
const AGENTS = { to: '/agents', label: 'Agents' };
const SECURITY = { to: '/security', label: 'Security' };

export const SCREENS: readonly LibraryArticle[] = [
  {
    id: 'dashboard',
    topic: 'Reading the screens',
    title: 'Reading the dashboard',
    summary: 'What each part says, from the large figure down.',
    also: ['overview', 'home', 'equity curve', 'since you left', 'age', 'stale', 'needs you'],
    blocks: [
      { h: 'The large figure' },
      'Equity: cash and open positions at the bid, in the market’s quote currency. Below it the change since 00:00 UTC of the market’s day, in percent and in money. Press it and its equation opens.',
      { h: 'The curve' },
      'Equity over the range you choose. Drag over it to read a moment. A range longer than the account’s history shows what there is and says so.',
      { h: 'Since you left' },
      'Trades, stops hit and agents that were halted since you last left the app on this device, with what equity did meanwhile. Another screen of the app is no leaving, and without the server nothing is shown: it would call quiet what nobody here has heard of.',
      { h: 'Needs you' },
      'Only what waits for a decision of yours: a start to confirm, a stop that failed, an agent that was halted. Nothing stands there to fill the place.',
      { h: 'An agent’s line' },
      {
        note: '“Running. Looked 2 min ago · next in 3 min.” The first word is the server’s. What you have pressed and it has not confirmed stands below as a line of its own, in amber.',
        title: 'Example.',
      },
      'Without the server the word is “Running when last seen”, and its dot is a ring. When the server is back and has spoken, the plain word returns.',
      'An agent is called late after two looks of its own interval were missed.',
      { h: 'Ages and dashes' },
      'A number from the server is as old as its last word. While it is fresh no more is said; then you see “40 s ago” or “4 min ago” in amber. A dash means unknown, and says why when you point at it. It is never shown as zero: zero is a number.',
    ],
    screens: [DASHBOARD, { to: '/portfolio', label: 'Portfolio' }],
    next: ['decisions', 'equity', 'offline'],
  },
  {
    id: 'decisions',
    topic: 'Reading the screens',
    title: 'Reading decisions: “signal 0.41, needs 0.55”',
    summary: 'Each look at a pair leaves one line with its reason, also when nothing was done.',
    also: ['no trade', 'reason', 'why', 'threshold', 'signal', 'log', 'feed'],
    blocks: [
      {
        note:
          '“No trade: signal 0.41, needs 0.55.” The pool found a move in the right direction, of strength 0.41. This agent enters from ' +
          PRESET_RISK.Moderate.threshold.toFixed(2) +
          ', the threshold of Moderate. So it did nothing, and that is a decision.',
        title: 'The commonest line.',
      },
      {
        table: {
          caption: 'What else you will read',
          head: ['It says', 'It means'],
          rows: [
            [
              'Bought 0.84 ETH: signal 0.63, needs 0.55.',
              'It entered. “Part of it” in brackets names the limit that cut the order.',
            ],
            [
              'Sold: the price came down to the stop at …',
              'The [stop](/library?article=stops) was hit. The pair is left alone for a day.',
            ],
            ['Sold: no strategy wants it any more.', 'Every strategy that held it has let go.'],
            [
              'No trade: the trend is down.',
              'The pool’s own rule is not met, whatever the strength.',
            ],
            ['No trade: not among the leaders.', 'Others rank higher in this list.'],
            ['No trade: the gap does not cover the cost of the round trip.', 'Fees would eat it.'],
            [
              'Holding: 3 % off target is less than the cost of trading it.',
              'Mending the size would cost more than it is worth.',
            ],
            [
              'Holding: the next rebalance (weekly) is not yet due.',
              'Its frequency says when it may act. Stops do not wait.',
            ],
            [
              'No trade: too little history for a signal.',
              'The pair is too new, or the source has too few days.',
            ],
          ],
        },
      },
      'Lines that repeat are folded: “12 times” with the first and the last moment.',
      { h: 'How long they are kept' },
      `${DECISIONS_KEEP_DAYS} days in full, then as counts by day and reason. Trades are kept as long as the account.`,
      { h: 'What to make of it' },
      'A day of “No trade” is an agent at work. If it never trades, look which line comes most: a threshold too high, a pool that has no pairs here, a cap too small for the venue’s smallest order.',
    ],
    screens: [AGENTS, DASHBOARD],
    next: ['signal-strength', 'guards', 'position-size'],
  },
  {
    id: 'offline',
    topic: 'Reading the screens',
    title: 'What the screen says without a network',
    summary: 'The last known picture with its age, and exactly what still works.',
    also: ['tunnel', 'no connection', 'snapshot', 'flight mode', 'plane', 'cache'],
    blocks: [
      {
        note: '“Offline. Showing 14:32. Stops will be sent first when you are back.” That line under the header is the whole alarm. Nothing else changes its place.',
        title: 'The bar.',
      },
      'Your agents do not notice: they run on the server, with their stops. What you see is what the server said last.',
      {
        table: {
          caption: 'Without the server',
          head: ['What', 'Works?'],
          rows: [
            ['Portfolio, agents, trades, analytics, prices', 'As last seen, with their age'],
            ['Library, texts, settings of this device', 'Yes'],
            ['Trades as CSV', 'Yes, those that are on the device'],
            [
              'Stop, Stop all',
              'Saved here, sent first when you are back. Agents keep trading until then',
            ],
            ['Start', `Saved here; sent by itself for ${START_FRESH_MS / MINUTE} minutes`],
            ['Stop and sell', 'The stop is saved. Selling needs the server'],
            ['Settings, new agents, plans', 'No: what you typed stays on the page'],
          ],
        },
      },
      { h: 'How it knows' },
      'A phone’s own “online” is often wrong. The app asks its server for a sign of life, and only an answer from Tradewind itself counts. The page of a hotel’s network does not.',
      { h: 'Prices while the server is away' },
      'If you have a network but the server does not answer, public prices may be read directly from the exchange. They carry its name, are for looking, and never value your account.',
    ],
    screens: [DASHBOARD, { to: '/stop-all', label: 'Stop all agents' }, SECURITY],
    next: ['queued-stop', 'account-security', 'dashboard'],
  },
  {
    id: 'queued-stop',
    topic: 'Reading the screens',
    title: 'What a saved Stop means',
    summary: 'The way of a command from the button to the server, in the words the screen uses.',
    also: [
      'queue',
      'saved on this device',
      'pending',
      'not yet received',
      'start',
      'command',
      'outbox',
      'undo',
    ],
    blocks: [
      {
        table: {
          caption: 'What you read, and what is so',
          head: ['It says', 'It means'],
          rows: [
            [
              'Stop saved on this device. Not yet received by the server.',
              'It is on the disk. Closing the app does not lose it. The agent still runs.',
            ],
            [
              'Stop saved on this device. Sent, but not confirmed by the server.',
              'It was sent and no answer came. It is sent again under the same number, and carried out once.',
            ],
            ['Stop is being sent.', 'On its way.'],
            [
              'Stop accepted by the server.',
              'Taken. The agent’s own line changes with the server’s next word.',
            ],
            ['Stopped, protecting 2 positions', 'Stopped. What it holds keeps its stop losses.'],
          ],
        },
      },
      { h: 'Undo' },
      'One tap stops an agent, wherever it stands. For some seconds you are offered Undo. Nothing sent yet: it takes the stop back. Sent already: it starts the agent again. Later, what is still unsent can be taken back from the line above the bottom bar.',
      { h: 'Order' },
      'Stops go first, several at once, then starts, one after the other. A Stop cancels an unsent Start of its agent; Stop all cancels every unsent Start.',
      { h: 'How long' },
      {
        list: [
          'A Stop waits as long as it takes. It never lapses, and neither a plan nor a setting can refuse it.',
          `A Start goes by itself for ${START_FRESH_MS / MINUTE} minutes. After that, or if the agent was changed meanwhile or the device’s clock was moved, you are asked again, with the prices of then and now. After ${START_LAPSE_MS / HOUR} hours it lapses and says so.`,
          `Of ${OUTBOX_MAX} places on the device the last ${STOP_PLACES} are kept for stops.`,
        ],
      },
      { h: 'Once, not twice' },
      `Each command carries a number of its own. It leaves the device only when the server has answered with that number. The server keeps the number for ${RECEIPT_KEEP_DAYS} days, and whoever comes with it again gets the first answer.`,
      { h: 'When it cannot be saved' },
      'If the browser keeps nothing (a private window, a full disk) the app says so at once and sends commands directly or not at all. Then “saved” is not shown, because it would not be so.',
      {
        note: 'A queued Stop is not a stop. While there is no connection your agent trades on. If you must be out now, use another device or another network.',
        title: 'Important.',
      },
    ],
    screens: [{ to: '/stop-all', label: 'Stop all agents' }, AGENTS],
    next: ['offline', 'stops', 'account-security'],
  },
];

export const ACCOUNT: readonly LibraryArticle[] = [
  {
    id: 'account-security',
    topic: 'Your account',
    title: 'Keeping your account safe',
    summary:
      'Sessions of four hours, what lies on this device, and what to do when a phone is gone.',
    also: [
      'password',
      'sign in',
      'session',
      'lost phone',
      'snapshot',
      'wipe',
      'sign out',
      'privacy',
    ],
    blocks: [
      { h: 'Signing in' },
      'By e-mail and password or by Google, through Firebase Authentication. Your password is known to that provider alone. Choose one that you use nowhere else.',
      { h: `Sessions of ${SESSION_MAX_AGE_MS / HOUR} hours` },
      `A session ends ${SESSION_MAX_AGE_MS / HOUR} hours after the sign-in, however busy you are. ${SESSION_NOTICE_MS / MINUTE} minutes before, a notice offers to sign in again in place and names what has not been sent. Your agents run on.`,
      'Past that time and without a network you can still read what is on the device, and Stop can still be saved. Nothing else.',
      { h: 'What lies on this device' },
      'A snapshot of your portfolio, agents and trades, in a database of this browser, so that the app opens without a network. It is protected by your device’s own lock and not encrypted beyond it: a key would have to lie beside it. “Keep my last snapshot on this device”, under Security, switches it off. Signing out deletes it, without a network as well.',
      { h: 'On somebody else’s device' },
      'Switch the snapshot off, and sign out when you leave. The next person to sign in there sees and sends nothing of yours.',
      { h: 'If a phone is gone' },
      {
        list: [
          'Sign in on another device. Under Security, “Sign out everywhere” ends every sign-in, then change your password.',
          'What is on the phone can be read only by whoever passes its lock, and only until its browser’s data is deleted.',
          'Agents can be stopped from any device. Nothing in Tradewind can send money anywhere: accounts are paper.',
        ],
        ordered: true,
      },
      { h: 'Leaving' },
      'Under Settings you can save everything the server holds about you, and delete the account. What that ends, and the little that stays, is in the [privacy policy](/privacy#deleting-your-account).',
      { h: 'Notifications' },
      'Off until you ask for them on a device. On the lock screen they name no agent and no amount unless you choose “show details”.',
    ],
    screens: [SECURITY, { to: '/support', label: 'Support' }],
    next: ['offline', 'queued-stop', 'paper-money'],
  },
];
