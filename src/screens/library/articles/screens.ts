/** Library articles on reading the screens, online and offline, and on the account. */
import {
  DECISIONS_KEEP_DAYS,
  OUTBOX_MAX,
  RECEIPT_KEEP_DAYS,
  SESSION_MAX_AGE_MS,
  SESSION_NOTICE_MS,
  START_FRESH_MS,
  START_LAPSE_MS,
} from '../../../../contract/limits.ts';
import { offlineText } from '../../../shell/offline-text.ts';
import { PRESET_RISK } from '../../agents/agent-risk.ts';
import { STOP_PLACES } from '../../content/stated-figures.ts';
import type { LibraryArticle } from '../article.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** 14:32 where it is read. */
const EXAMPLE_AT = new Date(2026, 0, 1, 14, 32).getTime();
const DASHBOARD = { to: '/dashboard', label: 'Dashboard' };
const AGENTS = { to: '/agents', label: 'Agents' };
const SECURITY = { to: '/security', label: 'Security' };

export const SCREENS: readonly LibraryArticle[] = [
  {
    id: 'dashboard',
    topic: 'Reading the screens',
    title: 'Reading the dashboard',
    summary: 'What each part of the dashboard tells you, from top to bottom.',
    also: ['overview', 'home', 'equity curve', 'since you left', 'age', 'stale', 'needs you'],
    blocks: [
      { h: 'The large figure' },
      'Your equity: cash plus open positions at the bid, in the market’s quote currency. Below ' +
        'it is the change since 00:00 UTC of the market’s day, in percent and in money. Press it ' +
        'to see how it adds up.',
      { h: 'The curve' },
      'Equity over the range you choose. Drag across it to read a value. If the range is longer ' +
        'than the account’s history, the chart shows what there is and says so.',
      { h: 'Since you left' },
      'Trades, stop losses and halted agents since you last left the app on this device, and how ' +
        'equity has changed. Switching screens does not count as leaving. Offline, nothing is ' +
        'shown, because this device cannot know what happened.',
      { h: 'Needs you' },
      'Only what needs a decision from you: a start to confirm, a stop that failed, an agent that was halted.',
      { h: 'An agent’s line' },
      {
        note:
          '“Running. Last check 2 min ago · next in 3 min.” The first word is what the server has ' +
          'confirmed. A command it has not confirmed yet appears below, on its own line in amber.',
        title: 'Example.',
      },
      'Without the server, the line reads “Running when last seen”, and the dot becomes a ring. ' +
        'Both change back once the server confirms the state.',
      'An agent is called late after it has missed two checks in a row.',
      { h: 'Ages and dashes' },
      'Every number is as old as the server’s last update. Fresh numbers show no age; older ones ' +
        'show “40 s ago” or “4 min ago” in amber. A dash means unknown; point at it to see why. ' +
        'Unknown is never shown as zero.',
    ],
    screens: [DASHBOARD, { to: '/portfolio', label: 'Portfolio' }],
    next: ['decisions', 'equity', 'offline'],
  },
  {
    id: 'decisions',
    topic: 'Reading the screens',
    title: 'Reading decisions: “signal 0.41, needs 0.55”',
    summary: 'Every check of a pair leaves one line with its reason, even if nothing was traded.',
    also: ['no trade', 'reason', 'why', 'threshold', 'signal', 'log', 'feed'],
    blocks: [
      {
        note:
          '“No trade: signal 0.41, needs 0.55.” The pool found a move in the right direction with ' +
          'a strength of 0.41. This agent needs at least ' +
          PRESET_RISK.Moderate.threshold.toFixed(2) +
          ', the threshold of Moderate. So it did not trade. That is a decision too.',
        title: 'The most common line.',
      },
      {
        table: {
          caption: 'Other decisions',
          head: ['It says', 'It means'],
          rows: [
            [
              'Bought 0.84 ETH: signal 0.63, needs 0.55.',
              'The agent entered. “Part of it” in brackets names the limit that reduced the order.',
            ],
            [
              'Sold: stop loss hit at …',
              'The [stop loss](/library?article=stops) was hit. The agent does not trade this pair for a day.',
            ],
            ['Sold: no strategy holds it any more.', 'Every strategy that held it has exited.'],
            [
              'No trade: the trend is down.',
              'The pool’s entry rule is not met, whatever the strength.',
            ],
            ['No trade: not among the leaders.', 'Other pairs rank higher.'],
            [
              'No trade: the gap does not cover the cost of the round trip.',
              'Fees would use up the gain.',
            ],
            [
              'Holding: 3 % off target. Rebalancing would cost more than it gains.',
              'Correcting the size would cost more than it gains.',
            ],
            [
              'Holding: the next rebalance (weekly) is not yet due.',
              'Its trading frequency sets when it may rebalance. Stop losses do not wait.',
            ],
            [
              'No trade: too little history for a signal.',
              'The pair is too new, or the source has too few days of data.',
            ],
          ],
        },
      },
      'Repeated lines are grouped: “12 times”, with the first and last time.',
      { h: 'How long they are kept' },
      `${DECISIONS_KEEP_DAYS} days in full, then as counts by day and reason. Trades are kept ` +
        'for as long as the account exists.',
      { h: 'What to make of it' },
      'A day of “No trade” means that the agent is working. If it never trades, check which line ' +
        'is most common: the threshold may be too high, the pool may have no pairs at this source, ' +
        'or the position limit may be below the minimum order.',
    ],
    screens: [AGENTS, DASHBOARD],
    next: ['signal-strength', 'guards', 'position-size'],
  },
  {
    id: 'offline',
    topic: 'Reading the screens',
    title: 'What the app shows when you are offline',
    summary: 'The last known data with its age, and what still works.',
    also: ['tunnel', 'no connection', 'snapshot', 'flight mode', 'plane', 'cache'],
    blocks: [
      {
        note:
          `“${offlineText(EXAMPLE_AT, false, EXAMPLE_AT)}” This line appears under the header. ` +
          'Nothing else on the screen moves.',
        title: 'The bar.',
      },
      'Your agents are not affected: they run on the server, with their stop losses. You see the ' +
        'last data from the server.',
      {
        table: {
          caption: 'What works offline',
          head: ['What', 'Works?'],
          rows: [
            ['Portfolio, agents, trades, analytics, prices', 'Last known data, with its age'],
            ['Library, texts, settings of this device', 'Yes'],
            ['Trades as CSV', 'Yes, for trades on this device'],
            [
              'Stop, Stop all',
              'Saved here and sent first when you are back. Agents keep trading until then',
            ],
            ['Start', `Saved here; sent automatically within ${START_FRESH_MS / MINUTE} minutes`],
            ['Stop and sell', 'The stop is saved. Selling needs the server'],
            ['Settings, new agents, plans', 'No. What you have typed stays on the page'],
          ],
        },
      },
      { h: 'How the app knows' },
      'A phone’s own “online” status is often wrong. The app asks its server, and only a reply ' +
        'from Tradewind itself counts. The login page of a hotel network does not.',
      { h: 'Prices while the server is away' },
      'If you are online but the server does not answer, the app may read public prices directly ' +
        'from the exchange. They are labelled with its name, are for information only, and are ' +
        'never used to value your account.',
    ],
    screens: [DASHBOARD, { to: '/stop-all', label: 'Stop all agents' }, SECURITY],
    next: ['queued-stop', 'account-security', 'dashboard'],
  },
  {
    id: 'queued-stop',
    topic: 'Reading the screens',
    title: 'What a saved Stop means',
    summary: 'How a command gets from the button to the server, in the words on screen.',
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
          caption: 'What you read, and what it means',
          head: ['It says', 'It means'],
          rows: [
            [
              'Stop saved on this device. Not yet received by the server.',
              'The command is saved on this device, even if you close the app. The agent is still running.',
            ],
            [
              'Stop saved on this device. Sent, but not confirmed by the server.',
              'The command was sent, but there was no reply. It is sent again with the same id ' +
                'and carried out only once.',
            ],
            ['Stop is being sent.', 'The command is on its way.'],
            [
              'Stop accepted by the server.',
              'The server has it. The agent’s status changes with the next update.',
            ],
            ['Stopped, protecting 2 positions', 'Stopped. Open positions keep their stop losses.'],
          ],
        },
      },
      { h: 'Undo' },
      'One tap stops an agent on any screen. For a few seconds you can press Undo. If the stop ' +
        'has not been sent, Undo cancels it. If it has, Undo starts the agent again. Later, you ' +
        'can cancel unsent commands from the line above the bottom bar.',
      { h: 'Order' },
      'Stops are sent first, several at once, followed by starts, one by one. A Stop cancels an ' +
        'unsent Start of the same agent; Stop all cancels every unsent Start.',
      { h: 'How long' },
      {
        list: [
          'A Stop waits as long as it takes. It never expires, and no plan or setting can block it.',
          `A Start is sent automatically within ${START_FRESH_MS / MINUTE} minutes. After that, ` +
            'or if the agent or the device’s clock was changed, you are asked to confirm, with the ' +
            `prices of then and now. After ${START_LAPSE_MS / HOUR} hours it expires and says so.`,
          `This device can hold ${OUTBOX_MAX} commands. The last ${STOP_PLACES} places are reserved for stops.`,
        ],
      },
      { h: 'Once, not twice' },
      'Each command has its own id. It leaves the queue only when the server has replied with ' +
        `that id. The server remembers the id for ${RECEIPT_KEEP_DAYS} days: if it arrives again, ` +
        'the server repeats its first reply and does nothing else.',
      { h: 'When it cannot be saved' },
      'If the browser cannot store anything, as in a private window or on a full disk, the app ' +
        'says so at once and sends commands directly or not at all. It then never says “saved”.',
      {
        note:
          'A saved Stop has not stopped anything yet. While you are offline, your agent keeps ' +
          'trading. If you must stop it now, use another device or another network.',
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
      'Four-hour sessions, what is stored on this device, and what to do if you lose your phone.',
    also: [
      'password',
      'log in',
      'sign in',
      'session',
      'lost phone',
      'snapshot',
      'wipe',
      'log out',
      'sign out',
      'privacy',
    ],
    blocks: [
      { h: 'Logging in' },
      'You log in by email and password or with Google, through Firebase Authentication. Only ' +
        'that provider knows your password. Choose one that you use nowhere else.',
      { h: `Sessions of ${SESSION_MAX_AGE_MS / HOUR} hours` },
      `A session ends ${SESSION_MAX_AGE_MS / HOUR} hours after login, even while you are active. ` +
        `${SESSION_NOTICE_MS / MINUTE} minutes before, you can log in again without leaving the ` +
        'screen, and you see which commands have not been sent. Your agents keep running.',
      'After that, while offline, you can still read what is on this device and save a Stop. Nothing else.',
      { h: 'What is stored on this device' },
      'A snapshot of your portfolio, agents and trades in this browser’s database, so that the ' +
        'app opens offline. It is protected by your device’s lock. There is no further encryption, ' +
        'because the key would have to be stored next to it. You can turn the snapshot off with ' +
        '“Available offline” under Security. Logging out deletes it, even ' +
        'offline.',
      { h: 'On a shared device' },
      'Turn the snapshot off, and log out when you leave. The next person to log in there cannot ' +
        'see or send anything of yours.',
      { h: 'If you lose your phone' },
      {
        list: [
          'Log in on another device. Under Security, log out everywhere, then change your password.',
          'The data on the phone can be read only by somebody who can unlock it, and only until ' +
            'its browser data is deleted.',
          'You can stop agents from any device. Nobody can withdraw money through Tradewind, and a ' +
            'live start asks for your passkey or password again.',
        ],
        ordered: true,
      },
      { h: 'Leaving Tradewind' },
      'Under Settings you can export everything the server holds about you and delete your ' +
        'account. The [privacy policy](/privacy#deleting-your-account) says what happens then and ' +
        'what remains.',
      { h: 'Notifications' },
      'Notifications are off until you turn them on for a device. On the lock screen they name ' +
        'no agent and no amount unless you choose to show details.',
    ],
    screens: [SECURITY, { to: '/support', label: 'Support' }],
    next: ['offline', 'queued-stop', 'paper-money'],
  },
];
