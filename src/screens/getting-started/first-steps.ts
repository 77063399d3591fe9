/** The first steps; each checks off automatically from what is so. */
import type { DeviceState } from '../../push/device.ts';

/**
 * `unknown`: neither the server nor this device can say now. `none`: cannot be done in this
 * browser.
 */
export type StepState = 'done' | 'open' | 'unknown' | 'none';
type StepGroup = 'trade' | 'device';

export interface Step {
  id:
    | 'account'
    | 'risk'
    | 'plan'
    | 'agent'
    | 'start'
    | 'fill'
    | 'snapshot'
    | 'security'
    | 'install'
    | 'notify';
  group: StepGroup;
  title: string;
  text: string;
  state: StepState;
  /** Where it is done, and what the way there is called. */
  to: string;
  action: string;
}

/** null where it is not known. */
export interface Facts {
  /** With its unit. */
  deposit: string | null;
  subscribed: boolean | null;
  hasUsedTrial: boolean;
  agents: number | null;
  everStarted: boolean | null;
  trades: number | null;
  keeps: boolean;
  /** A snapshot is on this device, in a browser that keeps one. */
  kept: boolean;
  installed: boolean;
  notified: DeviceState;
  lookedAtSecurity: boolean;
  lookedAtRisk: boolean;
}

/** Something known to have been is so, whatever else is not known. */
function stateOf(isSo: boolean | null, ...also: (boolean | null)[]): StepState {
  if (isSo === true || also.includes(true)) return 'done';
  return isSo === null ? 'unknown' : 'open';
}

const atLeastOne = (count: number | null): boolean | null => (count === null ? null : count > 0);

function tradeSteps(facts: Facts): Omit<Step, 'group'>[] {
  const traded = atLeastOne(facts.trades);
  return [
    {
      id: 'account',
      title: 'Create an account',
      text:
        facts.deposit === null ? 'You have one.' : `A paper account with ${facts.deposit} is open.`,
      state: 'done',
      to: '/portfolio',
      action: 'Portfolio',
    },
    {
      id: 'risk',
      title: 'Understand the risks',
      text: 'Two minutes: price gaps, late stops, software.',
      state: facts.lookedAtRisk ? 'done' : 'open',
      to: '/risk-disclosure',
      action: 'Risk disclosure',
    },
    {
      id: 'plan',
      title: 'Start the free trial or a plan',
      state: stateOf(facts.subscribed),
      text:
        facts.hasUsedTrial && facts.subscribed !== true
          ? 'Your trial is over. Every plan from Starter runs agents.'
          : 'The trial has everything in Standard, is free and ends by itself. The guided setup starts it too.',
      to: '/subscription',
      action: facts.hasUsedTrial ? 'View plans' : 'Free trial',
    },
    {
      id: 'agent',
      title: 'Create an agent',
      text: 'Four questions in the guided setup, or set every field yourself.',
      state: stateOf(atLeastOne(facts.agents), facts.everStarted, traded),
      to: '/guided-setup',
      action: 'Guided setup',
    },
    {
      id: 'start',
      title: 'Start it',
      text: 'You see what it would do now, and its worst loss, before it runs.',
      state: stateOf(facts.everStarted, traded),
      to: '/agents',
      action: 'Agents',
    },
    {
      id: 'fill',
      title: 'See the first trade',
      text: 'Your agent trades when its signal is strong enough. Every check is listed with its reason.',
      state: stateOf(traded),
      to: '/agents',
      action: 'Decisions',
    },
  ];
}

const NOTIFY_TEXT: Record<DeviceState, string> = {
  on: 'Notifications are on for this device.',
  off: 'For late stops, halted agents and more. You choose, with quiet hours.',
  denied: 'Notifications are blocked in your browser. You can allow them in its settings.',
  install: 'On iPhone and iPad, install the app first.',
  unsupported: 'This browser does not support notifications.',
};

function notifyState(state: DeviceState): StepState {
  if (state === 'on') return 'done';
  return state === 'unsupported' ? 'none' : 'open';
}

function offlineText({ kept, keeps }: Facts): string {
  if (kept) return 'Your last portfolio is saved on this device and opens without a network.';
  return keeps
    ? 'Your portfolio is saved once it has loaded, if your browser allows it.'
    : 'Off. Nothing can be shown offline.';
}

function deviceSteps(facts: Facts): Omit<Step, 'group'>[] {
  return [
    {
      id: 'snapshot',
      title: 'Available offline',
      state: facts.kept ? 'done' : 'open',
      text: offlineText(facts),
      to: '/settings#data',
      action: 'Data',
    },
    {
      id: 'security',
      title: 'Review your security',
      text: 'Your password, your session, and how to wipe this device.',
      state: facts.lookedAtSecurity ? 'done' : 'open',
      to: '/security',
      action: 'Security',
    },
    {
      id: 'install',
      title: 'Install the app',
      text: facts.installed
        ? 'Installed, with Stop all on its icon.'
        : 'It gets its own icon and window, with Stop all on the icon.',
      state: facts.installed ? 'done' : 'open',
      to: '/settings#app',
      action: 'App',
    },
    {
      id: 'notify',
      title: 'Turn on notifications',
      text: NOTIFY_TEXT[facts.notified],
      state: notifyState(facts.notified),
      to: '/settings#notifications',
      action: 'Notifications',
    },
  ];
}

export function stepsOf(facts: Facts): Step[] {
  return [
    ...tradeSteps(facts).map((step): Step => ({ ...step, group: 'trade' })),
    ...deviceSteps(facts).map((step): Step => ({ ...step, group: 'device' })),
  ];
}

export interface Progress {
  done: number;
  of: number;
  next: Step | null;
}

/**
 * What cannot be done here is not counted against the person. The next step is the first that is
 * known to be open.
 */
export function progressOf(steps: readonly Step[]): Progress {
  const possible = steps.filter(({ state }) => state !== 'none');
  return {
    done: possible.filter(({ state }) => state === 'done').length,
    of: possible.length,
    next: possible.find(({ state }) => state === 'open') ?? null,
  };
}
