/** The Privacy Policy: what is stored about a user, on server and device, and for how long. */
import { DELETION_WORD, USED_OFFERS_KEEP_DAYS } from '../../../contract/account.ts';
import {
  DECISIONS_KEEP_DAYS,
  RECEIPT_KEEP_DAYS,
  SESSION_MAX_AGE_MS,
} from '../../../contract/limits.ts';
import { PUSH_DEVICES_MAX } from '../../../contract/push.ts';
import { LINK_MESSAGE_LIFE_MS, LINKED_ADDRESSES_MAX } from '../../../contract/wallet.ts';
import { DocumentPage } from './DocumentPage.tsx';
import type { Block } from './rich-text.ts';

export const PRIVACY: readonly Block[] = [
  { h: 'On the server' },
  {
    table: {
      caption: 'What is stored, why and for how long',
      head: ['What', 'Why', 'How long'],
      rows: [
        ['Account id', 'to know whose agents these are', 'until the account is deleted'],
        [
          'Email address',
          'to log you in and show whose account it is; on this server and with the identity ' +
            'provider (Firebase Authentication)',
          'until the account is deleted',
        ],
        [
          'Name you choose, trading settings, risk values',
          'to trade by your rules',
          'until the account is deleted',
        ],
        [
          'Agents, trades, ledger, equity over time',
          'to provide the product',
          'until the account is deleted',
        ],
        [
          'Decisions of agents',
          'to show the reasons',
          `${DECISIONS_KEEP_DAYS} days in full, then counts by day and reason`,
        ],
        ['Receipts of commands', 'to recognise repeats', `${RECEIPT_KEEP_DAYS} days`],
        ['Events for your open pages', 'to fill gaps in the live stream', '1 day'],
        [
          'Your referral code, and that an invited person joined (the day, and whether a plan was paid)',
          'to credit the free days both have earned',
          'until the account is deleted; afterwards without a link to you',
        ],
        [
          'Support requests, with the facts about your device that you agreed to send',
          'to answer you',
          'until the account is deleted',
        ],
        [
          'Plan, trial, the payment provider’s ids',
          'to know what you have paid for',
          'until the account is deleted',
        ],
        [
          'Wallet addresses you linked, with chain, name and day',
          `to show you which are yours (at most ${LINKED_ADDRESSES_MAX})`,
          'until you unlink them',
        ],
        [
          'Messages for a wallet to sign',
          'so that none is used twice',
          `${LINK_MESSAGE_LIFE_MS / 60_000} minutes, then a day`,
        ],
        [
          'Exchange accounts you connected: exchange, name, what the key may do, limits; their ' +
            'orders, trades, balances, deposits and withdrawals',
          'to trade live, and to compare with the exchange',
          'until the account is deleted',
        ],
        [
          'The key of an exchange account, encrypted, with the signer (a separate process)',
          'to place your orders',
          'until you remove the exchange account',
        ],
        [
          'Public keys of passkeys and of your password, with name and day',
          'to check that a live start was confirmed by you',
          'until you delete them or the account',
        ],
        ['Notifications that were sent', 'so that none is sent twice', '30 days'],
        [
          'Push addresses of your devices',
          `to notify you where you turned notifications on (at most ${PUSH_DEVICES_MAX})`,
          'until you turn them off or the browser removes the address',
        ],
      ],
    },
  },
  'Only the identity provider knows your password. Card numbers go directly to the payment ' +
    'provider and never reach this server.',
  { h: 'On your device' },
  {
    list: [
      'A **snapshot** of your last portfolio, agents, trades, settings, plan, linked addresses ' +
        'and prices, of your most recent charts, and of the candles of your last backtest, so that ' +
        'the app opens offline. It is stored in a separate database in this browser. There is no ' +
        'encryption beyond that of your device, because the key would have to be stored next to it.',
      'The **queue**: commands that have not reached the server yet.',
      'Your account id, email address and login time, to show the right screen at the start. The ' +
        'identity provider’s library stores its own login state.',
      'The time of your last visit, and which first steps you have dismissed. Drafts of support ' +
        'requests, agents, the guided setup and trading settings, until you finish them. A ' +
        'checkout in progress and its plan, until it is settled.',
      'The wallet you connected, with its address and network, and what you sent with it from ' +
        'this device. The wallet stores its own keys and its own history.',
      'The referral code of a link you followed, for a month or until it is saved in your account.',
      'Preferences of this device: light or dark, colours, whether you declined to install the ' +
        'app, whether a snapshot is kept.',
      'The app’s own files. They contain no personal data.',
    ],
  },
  'This app does not store access tokens.',
  { h: '“Available offline”' },
  'You find this switch under Settings and Security. It is on by default. Turning it off deletes ' +
    'the snapshot at once, and the app can then show data only while you are online. It does not ' +
    'affect the queue: a Stop is kept until it is delivered.',
  'Logging out deletes your database on this device, even offline, and all your other data ' +
    'except the device’s preferences. When a session is over after ' +
    `${SESSION_MAX_AGE_MS / 3_600_000} hours, the snapshot can still be read offline. As soon as ` +
    'you are online, you are asked to log in.',
  { h: 'Third parties' },
  {
    list: [
      '**Firebase Authentication**, to log you in and renew your session; Google, if you log in with Google.',
      '**The payment provider**, when you open a checkout or the billing portal.',
      '**Your browser’s push service**, if you turn on notifications. Messages are encrypted for your browser.',
      '**Wallet services**, when you open the wallet. When you link a smart wallet, this server ' +
        'asks a node of its network to verify the signature. When you buy coins through this ' +
        'server, it tells the provider your wallet address and your IP address.',
      '**The exchange whose account you connected**: the signer reads that account and places your ' +
        'orders there. Your device does not talk to it.',
      '**An exchange**, if this server fails while you are online: the app then reads its public ' +
        'prices directly and labels them with its name. Apart from your login, this is the only ' +
        'third-party request that you do not start yourself.',
    ],
  },
  'There is no advertising, no tracking and no third-party script. Analytics run only in the ' +
    'wallet, and only if the operator has turned them on.',
  { h: 'Logs' },
  'Server logs contain no email addresses, tokens or amounts. The signer keeps a record of every ' +
    'live order and every change of limits, with your account id and without keys, so that ' +
    'nothing can be traded unseen.',
  { h: 'Exporting your data' },
  'Under Settings, “Your data” exports everything the server holds about you as JSON or CSV: ' +
    'profile and login, settings, agents and decisions, orders, trades, ledger, accounts, plan, ' +
    'devices, referrals and support requests. Under Portfolio you can export the trades on this ' +
    'device, even offline.',
  { h: 'Deleting your account' },
  'You can delete your account under Settings. The app explains what will be deleted and asks ' +
    `you to type ${DELETION_WORD} and to log in again. Then your agents are stopped, your plan is ` +
    'cancelled, and everything in the table above is deleted, including your login. Open ' +
    'positions are not sold.',
  'What remains: the payment provider’s invoices for as long as the law requires, and a ' +
    `fingerprint of the account id for ${(2 * SESSION_MAX_AGE_MS) / 3_600_000} hours, so that a ` +
    'session still open elsewhere cannot recreate the account. If you have used the free trial or ' +
    'an invitation, a fingerprint of your email address remains for ' +
    `${USED_OFFERS_KEEP_DAYS / 365} years, because each counts once. It is made with a secret of ` +
    'this server, and the address cannot be read from it. People you invited keep their free ' +
    'days, without your name. The signer’s record of live orders stays with the operator. Ask the ' +
    'operator about backups. Remove connected exchange accounts first: what you hold there is ' +
    'yours and is not sold.',
  { h: 'Other rights' },
  'To correct your data or ask a question, write to the operator under Support.',
];

export default function PrivacyScreen() {
  return (
    <DocumentPage
      title="Privacy Policy"
      updated="28 November 2026"
      blocks={PRIVACY}
      lead="What data is stored about you, where, for how long, and how to delete it."
    />
  );
}
