/**
 * What is kept about a person, where and for how long, as the code does it; refuses to leave the
 * device's part out.
 */
import { DELETION_WORD } from '../../../contract/account.ts';
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
      caption: 'What is held, and how long',
      head: ['What', 'Why', 'How long'],
      rows: [
        ['Account id', 'to know whose agents these are', 'as long as the account'],
        [
          'E-mail address',
          'to sign you in and to show whose account it is; here and with the identity provider (Firebase Authentication)',
          'as long as the account',
        ],
        [
          'Name you choose, trading settings, risk values',
          'to trade as you said',
          'as long as the account',
        ],
        [
          'Agents, trades, ledger, equity over time',
          'the product itself',
          'as long as the account',
        ],
        [
          'Decisions of agents',
          'to say why',
          `${DECISIONS_KEEP_DAYS} days in full, then counts by day and reason`,
        ],
        ['Receipts of commands', 'so that a repeat is recognised', `${RECEIPT_KEEP_DAYS} days`],
        ['Events for your open pages', 'to fill a gap in the live stream', '1 day'],
        [
          'Your referral code, and that an invited person joined (the day, and whether a plan was paid)',
          'to add the days both have earned',
          'as long as the account; afterwards without you in it',
        ],
        [
          'Support requests, with the facts about your device that you agreed to send',
          'to answer you',
          'as long as the account',
        ],
        [
          'Plan, trial, the payment provider’s ids',
          'to know what is paid for',
          'as long as the account',
        ],
        [
          'Wallet addresses you linked, with chain, name and day',
          `at most ${LINKED_ADDRESSES_MAX}, to show you which are yours`,
          'until you unlink them',
        ],
        [
          'Messages that a wallet was to sign',
          'so that none is used twice',
          `${LINK_MESSAGE_LIFE_MS / 60_000} minutes, then a day`,
        ],
        ['Notifications that were sent', 'so that none is told twice', '30 days'],
        [
          'Addresses of devices to notify',
          `at most ${PUSH_DEVICES_MAX}, only where you switched it on`,
          'until you switch it off or the browser gives it up',
        ],
      ],
    },
  },
  'Your password is known to the identity provider alone. Card numbers go to the payment provider and never reach this server.',
  { h: 'On your device' },
  {
    list: [
      'A **snapshot** of your last portfolio, agents, trades, settings, plan, linked addresses and prices, of the charts you looked at last, and of the candles your last test of an agent went over, so that the app opens without a network. It lies in a database of its own in this browser. It is not encrypted beyond what your device does, because the key would lie beside it.',
      'The **queue**: commands that have not reached the server yet.',
      'Your account id, e-mail address and time of sign-in, to paint the right view at the start. The identity provider’s library keeps its own sign-in state.',
      'When you last looked, and which first steps you have put away. What you are writing to support, and an agent, a guided setup or trading settings you have begun, until it is done. That you are on your way back from a checkout, and to which plan, until it is settled.',
      'The address and network of the wallet you connected, which wallet it was, and what you sent from this device with it. The wallet keeps its own keys and its own list.',
      'The referral code of a link you followed, for a month or until your account has it.',
      'Choices of this device: light or dark, colours, whether an offer to install was declined, whether a snapshot is kept.',
      'The app’s own files. They hold nothing of yours.',
    ],
  },
  'Access tokens are not stored by this app.',
  { h: '“Keep my last snapshot on this device”' },
  'Under Settings and Security, on by default. Off deletes what is kept at once; the app then needs the network to show anything. It does not govern the queue: a Stop is kept until it is delivered.',
  'Signing out deletes your database on this device, without a network as well, and everything else of yours but the choices of the device. Past the session’s ' +
    String(SESSION_MAX_AGE_MS / 3_600_000) +
    ' hours a snapshot can be read while there is no network; as soon as there is one, you are asked to sign in.',
  { h: 'Who else is asked' },
  {
    list: [
      '**Firebase Authentication**, to sign you in and to renew a session; Google, if you sign in with Google.',
      '**The payment provider**, when you open a checkout or the billing portal.',
      '**The push service of your browser’s maker**, if you switch notifications on. The message is encrypted for your browser.',
      '**Wallet services**, when you open the wallet. When you link a smart wallet this server asks a node of its chain whether the wallet signed; when you buy coins through this server, it tells the provider the address and the network address you come from.',
      '**An exchange**, if this server fails while you are online: its public prices are then read directly and labelled with its name. Apart from your sign-in this is the only request to others before you act.',
    ],
  },
  'There is no advertising, no tracking and no third-party script on the pages. Analytics run in the wallet alone, and only where the operator has switched them on.',
  { h: 'Logs' },
  'Server logs hold no e-mail addresses, tokens or amounts.',
  { h: 'Taking your data with you' },
  'Under Settings, “Your data” saves everything the server holds about you as JSON or as CSV tables: profile and sign-in, settings, agents and decisions, orders, trades, ledger, books, plan, devices, referrals and support requests. The trades on the device can be saved under Portfolio, without a network as well.',
  { h: 'Deleting your account' },
  `Under Settings. It says what ends, asks you to type ${DELETION_WORD} and to prove who you are by signing in anew. Then your agents are stopped, a plan is cancelled, and everything in the table above is deleted, the sign-in too. What is open is not sold: it is paper.`,
  `What stays: the payment provider’s invoices as long as the law asks, and for ${(2 * SESSION_MAX_AGE_MS) / 3_600_000} hours a fingerprint of the account id, so that a sign-in still open somewhere cannot make the account anew. Whoever you invited keeps the days they earned, without your name. Backups of the operator are the operator’s to name.`,
  { h: 'Other rights' },
  'For a correction, or a question about all this, write to the operator under Support.',
];

export default function PrivacyScreen() {
  return (
    <DocumentPage
      title="Privacy Policy"
      updated="21 November 2026"
      blocks={PRIVACY}
      lead="What is kept about you, where, for how long, and how it goes away."
    />
  );
}
