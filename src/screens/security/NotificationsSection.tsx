/**
 * Which notifications this user gets, when, and on this device. Only a press asks the browser for
 * permission.
 */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { PushKind, PushSettings } from '../../../contract/push.ts';
import { Button, LinkButton } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { Section } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { session } from '../../identity/session.ts';
import { joinPush, leavePush, type DeviceState } from '../../push/device.ts';
import { InstallSteps } from '../../shell/InstallSteps.tsx';
import { loadSettings, settingsStore } from '../../stores/settings-store.ts';
import { useSlot } from '../use-store.ts';
import { usePush, type ChangeSettings } from './use-push.ts';

/** In the order of the list. */
const KINDS: Readonly<Record<PushKind, { label: string; hint: string }>> = {
  lateStop: {
    label: 'Late stop',
    hint: 'A stop that waited on a device for over a minute.',
  },
  agentHeld: {
    label: 'Agent halted or failed',
    hint: 'For example, at the daily loss limit.',
  },
  stopLoss: { label: 'Stop loss', hint: 'A position was closed at its stop loss.' },
  priceAlert: {
    label: 'Price alerts',
    hint: 'Shows pair and price on the lock screen.',
  },
  fills: {
    label: 'Trades',
    hint: 'All other trades. Trades at the same time are grouped.',
  },
  liveOrder: {
    label: 'Real money: unknown orders',
    hint: 'When the outcome of an order is unknown for five minutes, and when it is known again.',
  },
  liveStop: {
    label: 'Real money: stop losses',
    hint: 'When one was hit, refused or cancelled outside Tradewind, and when a sale fails.',
  },
  liveConnection: {
    label: 'Real money: exchange account',
    hint: 'When it cannot be reached, the key is refused, or something there does not fit.',
  },
  liveLoss: {
    label: 'Real money: daily loss limit',
    hint: 'When it is reached. Nothing more is bought that day.',
  },
  liveEnded: {
    label: 'Real money: live trading ended',
    hint: 'When live trading of an exchange account is ended.',
  },
  trialEnding: { label: 'Trial ending', hint: 'Two days before the end.' },
  paymentFailed: { label: 'Payment failed', hint: 'When a payment for your plan fails.' },
};

const DEVICE_TEXT: Record<DeviceState, string> = {
  on: 'Notifications are on for this device.',
  off: 'Notifications are off for this device.',
  denied:
    'Notifications are blocked in your browser. To allow them, open the site settings beside the address bar.',
  unsupported:
    'This browser does not support notifications. Use a current version of Chrome, Edge, Firefox or Safari.',
  install:
    'On iPhone and iPad, you need the installed app to get notifications. Add it to your home screen and open it there:',
};

const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Saved on blur: a half-typed time is invalid. */
function Hour({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => Promise<void>;
}) {
  /** What was entered and is not answered; null shows what the server has. */
  const [typed, setTyped] = useState<string | null>(null);
  const save = async (): Promise<void> => {
    if (typed !== null && typed !== '' && typed !== value) await onChange(typed);
    // It may have been entered anew meanwhile.
    setTyped((now) => (now === typed ? null : now));
  };
  return (
    <Field
      label={label}
      type="time"
      value={typed ?? value}
      onChange={(event) => {
        setTyped(event.target.value);
      }}
      onBlur={() => {
        void save();
      }}
    />
  );
}

type QuietHoursChoice = PushSettings['quietHours'];

function QuietHours({
  quiet,
  onChange,
}: {
  quiet: QuietHoursChoice;
  onChange: (change: (present: QuietHoursChoice) => QuietHoursChoice) => Promise<void>;
}) {
  /** One end or the zone; hours that were turned off meanwhile stay off. */
  const set = (part: Partial<NonNullable<QuietHoursChoice>>): Promise<void> =>
    onChange((present) => present && { ...present, ...part });
  return (
    <div className="rule pb-3">
      <Switch
        label="Quiet hours"
        checked={quiet !== null}
        hint="Notifications wait until quiet hours end."
        onChange={(on) => {
          void onChange(() => (on ? { from: '22:00', to: '07:00', timeZone: localZone() } : null));
        }}
      />
      {quiet !== null && (
        <div className="flex flex-wrap items-end gap-4 pt-2">
          <Hour label="From" value={quiet.from} onChange={(from) => set({ from })} />
          <Hour label="To" value={quiet.to} onChange={(to) => set({ to })} />
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
                    void set({ timeZone: localZone() });
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
  const isOn = device === 'on';
  return (
    <div className="pb-3">
      {/* One button for both, so that it keeps the focus. */}
      {(isOn || device === 'off') && (
        <Button
          tone={isOn ? 'quiet' : 'primary'}
          busy={busy}
          onClick={() => {
            ask(isOn ? leavePush : () => joinPush(uid));
          }}
        >
          {isOn ? 'Turn off notifications' : 'Turn on notifications'}
        </Button>
      )}
    </div>
  );
}

function Choices({ settings, change }: { settings: PushSettings; change: ChangeSettings }) {
  return (
    <div role="group" aria-label="Notification types">
      {(Object.keys(KINDS) as PushKind[]).map((kind) => (
        <div key={kind} className="rule">
          <Switch
            {...KINDS[kind]}
            checked={settings.kinds[kind] ?? true}
            onChange={(on) => {
              void change((present) => ({ ...present, kinds: { ...present.kinds, [kind]: on } }));
            }}
          />
        </div>
      ))}
      <QuietHours
        quiet={settings.quietHours}
        onChange={(next) =>
          change((present) => ({ ...present, quietHours: next(present.quietHours) }))
        }
      />
      <div className="rule">
        <Switch
          label="Show details on the lock screen"
          hint="Shows agent names, pairs and amounts. When off, notifications show only the type of event."
          checked={settings.showDetails}
          onChange={(showDetails) => {
            void change((present) => ({ ...present, showDetails }));
          }}
        />
      </div>
    </div>
  );
}

export function NotificationsSection() {
  const { user } = useSnapshot(session);
  const uid = user?.uid ?? '';
  const { device, push, error, busy, ask, change, isOffline } = usePush(uid);
  const trading = useSlot(settingsStore, loadSettings);
  const settings = push?.settings;
  const master = trading.data?.settings.notificationsEnabled;
  return (
    <Section title="Notifications">
      <p className="rule py-3 text-ink-2" role="status">
        {DEVICE_TEXT[device]}
        {push !== null && push.devices > 1 ? ` You have them on for ${push.devices} devices.` : ''}
      </p>
      {device === 'install' && (
        <div className="-mt-2 pb-3 text-ink-2">
          <InstallSteps />
        </div>
      )}
      {master === false && (
        <p className="flex flex-wrap items-center gap-3 pb-3 text-amber">
          Notifications are turned off in your trading settings.{' '}
          <LinkButton to="/trading" size="sm">
            Trading settings
          </LinkButton>
        </p>
      )}
      <DeviceSwitch device={device} uid={uid} busy={busy} ask={ask} />
      {/* With settings on screen their failed re-reading says nothing: a change reads them anew. */}
      {settings === undefined && error !== null && (
        <p role="alert" className="pb-3 text-danger">
          {error}
        </p>
      )}
      {settings === undefined && (error === null || isOffline) && (
        <SkeletonRows rows={8} label="Notification types" rowClass="min-h-14" />
      )}
      {settings !== undefined && <Choices settings={settings} change={change} />}
    </Section>
  );
}
