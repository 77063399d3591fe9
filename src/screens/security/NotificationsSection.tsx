/**
 * What this person is told of, when, and on which device. The browser is asked for permission only
 * by a press.
 */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { PushKind, PushSettings } from '../../../contract/push.ts';
import { Button, LinkButton } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { Section } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { session } from '../../identity/session.ts';
import {
  deviceState,
  joinPush,
  leavePush,
  readPush,
  writePush,
  type DeviceState,
  type PushState,
} from '../../push/device.ts';
import { InstallSteps } from '../../shell/InstallSteps.tsx';
import { connection } from '../../stores/connection.ts';
import { loadSettings, settingsStore } from '../../stores/settings-store.ts';
import { useSlot } from '../use-store.ts';

/** In the order of the list. */
const KINDS: Readonly<Record<PushKind, { label: string; hint: string }>> = {
  lateStop: {
    label: 'A stop was delivered late',
    hint: 'One that had waited on a device for more than a minute.',
  },
  agentHeld: {
    label: 'An agent failed or was halted',
    hint: 'By a guard, such as the day-loss limit.',
  },
  stopLoss: { label: 'A stop loss was hit', hint: 'A position was closed at its stop.' },
  priceAlert: {
    label: 'Price alerts',
    hint: 'The pair and its price are shown on the lock screen.',
  },
  fills: { label: 'Trades', hint: 'All other trades, those of one moment in one message.' },
  trialEnding: { label: 'Trial ending', hint: 'Two days before.' },
  paymentFailed: { label: 'A payment failed', hint: 'For your plan.' },
};

const SAID: Record<DeviceState, string> = {
  on: 'This device is notified.',
  off: 'This device is not notified.',
  denied:
    'This browser does not let Tradewind notify you. Only its own settings for this site can change that: look for Notifications behind the icon beside the address.',
  unsupported:
    'This browser cannot receive notifications. Current Chrome, Edge, Firefox and Safari can.',
  install:
    'On iPhone and iPad notifications come to the installed app alone. Put it on the home screen and open it from there:',
};

const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Sent when it is left: a time half typed is none. */
function Hour({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  return (
    <Field
      label={label}
      type="time"
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
      }}
      onBlur={() => {
        if (typed === '') setTyped(value);
        else if (typed !== value) onChange(typed);
      }}
    />
  );
}

function QuietHours({
  quiet,
  onChange,
}: {
  quiet: PushSettings['quietHours'];
  onChange: (quiet: PushSettings['quietHours']) => void;
}) {
  return (
    <div className="rule pb-3">
      <Switch
        label="Quiet hours"
        checked={quiet !== null}
        hint="Nothing is sent in these hours; it comes when they end."
        onChange={(on) => {
          onChange(on ? { from: '22:00', to: '07:00', timeZone: localZone() } : null);
        }}
      />
      {quiet !== null && (
        <div className="flex flex-wrap items-end gap-4 pt-2">
          <Hour
            label="From"
            value={quiet.from}
            onChange={(from) => {
              onChange({ ...quiet, from });
            }}
          />
          <Hour
            label="To"
            value={quiet.to}
            onChange={(to) => {
              onChange({ ...quiet, to });
            }}
          />
          <p className="pb-2.5 text-xs text-ink-3">
            Time zone: {quiet.timeZone}
            {quiet.timeZone !== localZone() && (
              <>
                {' '}
                ·{' '}
                <button
                  type="button"
                  className="underline"
                  onClick={() => {
                    onChange({ ...quiet, timeZone: localZone() });
                  }}
                >
                  use {localZone()}
                </button>
              </>
            )}
          </p>
        </div>
      )}
    </div>
  );
}

/** What the server knows of this person's notifications, and this device's part in them. */
function usePush(uid: string) {
  const { online } = useSnapshot(connection);
  const [device, setDevice] = useState<DeviceState>(() => deviceState(uid));
  const [push, setPush] = useState<PushState | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  /** One question at a time; the answer is what is shown, a failure leaves what was there. */
  const ask = async (work: () => Promise<PushState | null>): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const state = await work();
      if (state !== null) setPush(state);
    } catch (failure) {
      setError(errorSentence(failure));
    }
    setDevice(deviceState(uid));
    setBusy(false);
  };
  useEffect(() => {
    if (online === 'offline') return;
    let here = true;
    setError(null);
    readPush().then(
      (state) => {
        if (here) setPush(state);
      },
      (failure: unknown) => {
        if (here) setError(errorSentence(failure));
      },
    );
    return () => {
      here = false;
    };
  }, [uid, online]);

  return { device, push, error, busy, ask, isOffline: online === 'offline' };
}

type Ask = ReturnType<typeof usePush>['ask'];

function DeviceSwitch({
  device,
  uid,
  busy,
  ask,
}: {
  device: DeviceState;
  uid: string;
  busy: boolean;
  ask: Ask;
}) {
  return (
    <div className="pb-3">
      {device === 'off' && (
        <Button
          tone="primary"
          busy={busy}
          onClick={() => {
            void ask(() => joinPush(uid));
          }}
        >
          Notify this device
        </Button>
      )}
      {device === 'on' && (
        <Button
          busy={busy}
          onClick={() => {
            void ask(leavePush);
          }}
        >
          Stop notifying this device
        </Button>
      )}
    </div>
  );
}

function Choices({
  settings,
  onChange: change,
}: {
  settings: PushSettings;
  onChange: (settings: PushSettings) => void;
}) {
  return (
    <div role="group" aria-label="What you are told">
      {(Object.keys(KINDS) as PushKind[]).map((kind) => (
        <div key={kind} className="rule">
          <Switch
            {...KINDS[kind]}
            checked={settings.kinds[kind] ?? true}
            onChange={(on) => {
              change({ ...settings, kinds: { ...settings.kinds, [kind]: on } });
            }}
          />
        </div>
      ))}
      <QuietHours
        quiet={settings.quietHours}
        onChange={(quietHours) => {
          change({ ...settings, quietHours });
        }}
      />
      <div className="rule">
        <Switch
          label="Show details on the lock screen"
          hint="Agents' names, pairs and amounts. Off, a notification says only what kind of thing has happened."
          checked={settings.showDetails}
          onChange={(showDetails) => {
            change({ ...settings, showDetails });
          }}
        />
      </div>
    </div>
  );
}

export function Notifications() {
  const { user } = useSnapshot(session);
  const uid = user?.uid ?? '';
  const { device, push, error, busy, ask, isOffline } = usePush(uid);
  const trading = useSlot(settingsStore, loadSettings);
  const settings = push?.settings;
  const master = trading.data?.settings.notificationsEnabled;
  return (
    <Section title="Notifications">
      <p className="rule py-3 text-ink-2" role="status">
        {SAID[device]}
        {push !== null && push.devices > 1 ? ` ${push.devices} of your devices are.` : ''}
      </p>
      {device === 'install' && (
        <div className="-mt-2 pb-3 text-ink-2">
          <InstallSteps />
        </div>
      )}
      {error !== null && (
        <p role="alert" className="pb-3 text-danger">
          {error}
        </p>
      )}
      {master === false && (
        <p className="flex flex-wrap items-center gap-3 pb-3 text-amber">
          Notifications are off in your trading settings: nothing is sent.{' '}
          <LinkButton to="/trading" size="sm">
            Trading settings
          </LinkButton>
        </p>
      )}
      <DeviceSwitch device={device} uid={uid} busy={busy} ask={ask} />
      {settings === undefined && (error === null || isOffline) && (
        <SkeletonRows rows={8} label="What you are told" rowClass="min-h-14" />
      )}
      {settings !== undefined && (
        <Choices
          settings={settings}
          onChange={(next) => {
            void ask(() => writePush(next));
          }}
        />
      )}
    </Section>
  );
}
