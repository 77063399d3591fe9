/** The first steps; each checks off automatically once the facts say it is done. */
import type { DeviceState } from '../../push/device.ts';

/** `unknown`: neither server nor device can say now. `none`: not possible in this browser. */
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
  /** Where it is done, and the text of the link to it. */
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
  /** A portfolio lies on this device. */
  kept: boolean | null;
  installed: boolean;
  notified: DeviceState;
  hasSeenSecurity: boolean;
  hasReadRisk: boolean;
}

/** Done if any of the facts is true, even where others are unknown. */
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
        facts.deposit === null
          ? 'Your account is open.'
          : `Your paper account started with ${facts.deposit}.`,
      state: 'done',
      to: '/portfolio',
      action: 'Portfolio',
    },
    {
      id: 'risk',
      title: 'Understand the risks',
      text: 'A two-minute read: price gaps, late stops, software faults.',
      state: facts.hasReadRisk ? 'done' : 'open',
      to: '/risk-disclosure',
      action: 'Risk disclosure',
    },
    {
      id: 'plan',
      title: 'Start the free trial or a plan',
      state: stateOf(facts.subscribed),
      text:
        facts.hasUsedTrial && facts.subscribed !== true
          ? 'Your trial has ended. To run agents, you need a plan: Starter or higher.'
          : 'The trial is free, includes the Standard plan and ends by itself. Part of the guided setup.',
      to: '/subscription',
      action: facts.subscribed === null || facts.hasUsedTrial ? 'View plans' : 'Free trial',
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
      title: 'Start your agent',
      text: 'Before it starts, you see what it would do now and its worst loss.',
      state: stateOf(facts.everStarted, traded),
      to: '/agents',
      action: 'Agents',
    },
    {
      id: 'fill',
      title: 'See your first trade',
      text: 'Your agent trades when its signal is strong enough. Every check is listed with its reason.',
      state: stateOf(traded),
      to: '/agents',
      action: 'Decisions',
    },
  ];
}

const NOTIFY_TEXT: Record<DeviceState, string> = {
  on: 'Notifications are on for this device.',
  off: 'For late stops, halted agents and more. You choose which, and set quiet hours.',
  denied: 'Notifications are blocked in your browser. You can allow them in its settings.',
  install: 'On iPhone and iPad, install the app first.',
  unsupported: 'This browser does not support notifications.',
};

function notifyState(state: DeviceState): StepState {
  if (state === 'on') return 'done';
  return state === 'unsupported' ? 'none' : 'open';
}

function offlineText({ kept, keeps }: Facts): string {
  if (kept === true) return 'Your last portfolio is saved on this device and opens offline.';
  return keeps
    ? 'Your portfolio is saved once it has loaded, if your browser allows it.'
    : 'Off. Nothing is available offline.';
}

function deviceSteps(facts: Facts): Omit<Step, 'group'>[] {
  return [
    {
      id: 'snapshot',
      title: 'Available offline',
      state: stateOf(facts.kept),
      text: offlineText(facts),
      to: '/settings#data',
      action: 'Data',
    },
    {
      id: 'security',
      title: 'Review your security',
      text: 'Your password, your session, and how to wipe this device.',
      state: facts.hasSeenSecurity ? 'done' : 'open',
      to: '/security',
      action: 'Security',
    },
    {
      id: 'install',
      title: 'Install the app',
      text: facts.installed
        ? 'Installed, with a Stop all shortcut on its icon.'
        : 'Get an icon, a window and a Stop all shortcut for the app.',
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
 * Steps that this browser does not support do not count. The next step is the first known to be
 * open.
 */
export function progressOf(steps: readonly Step[]): Progress {
  const possible = steps.filter(({ state }) => state !== 'none');
  return {
    done: possible.filter(({ state }) => state === 'done').length,
    of: possible.length,
    next: possible.find(({ state }) => state === 'open') ?? null,
  };
}
