/**
 * Settings: profile, appearance, notifications, trading and risk, data, and the app on this device.
 */
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { ReadError, Unfilled } from '../../components/EmptyState.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { loadSettings, settingsStore } from '../../stores/settings-store.ts';
import { DeleteAccount } from '../security/DeleteAccount.tsx';
import { DeviceSection } from '../security/DeviceSection.tsx';
import { AppearanceSection } from '../security/AppearanceSection.tsx';
import { NotificationsSection } from '../security/NotificationsSection.tsx';
import { OwnDataSection } from '../security/OwnDataSection.tsx';
import { ThisAppSection } from '../security/ThisAppSection.tsx';
import { UNKNOWN_SETTINGS, useBlocked } from '../trading/settings-access.ts';
import { ProfileForm } from '../trading/SettingsForm.tsx';
import { useAnchor } from '../content/DocumentPage.tsx';
import { SETTINGS_PARTS } from './settings-parts.ts';

function Contents() {
  return (
    <nav aria-label="On this page" className="-mx-2 mb-5 flex flex-wrap">
      {SETTINGS_PARTS.map(([id, name]) => (
        <a
          key={id}
          href={`#${id}`}
          className="flex min-h-11 items-center px-2 text-ink-2 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8"
        >
          {name}
        </a>
      ))}
    </nav>
  );
}

function Profile() {
  const { data, error } = useSnapshot(settingsStore);
  const blocked = useBlocked();
  useEffect(() => {
    void loadSettings();
  }, []);
  return (
    <Section id="profile" title="Profile">
      <ReadError
        message={error}
        hasData={data !== null}
        onRetry={() => {
          void loadSettings(true);
        }}
      />
      {data === null ? (
        error === null && (
          <Unfilled>
            <ProfileForm initial={UNKNOWN_SETTINGS} version={0} blocked={blocked} />
          </Unfilled>
        )
      ) : (
        <ProfileForm initial={data.settings} version={data.version} blocked={blocked} />
      )}
    </Section>
  );
}

const ELSEWHERE = [
  ['/trading', 'Trading settings', 'Pause trading, limit order size, set defaults for new agents.'],
  ['/trading#risk', 'Risk values', 'Set your largest position, signal threshold and stop loss.'],
  [
    '/live/connect',
    'Connect an exchange',
    'Let agents trade your own account. Paper stays the default.',
  ],
  ['/security', 'Security', 'Password, email, sessions.'],
] as const;

function Elsewhere() {
  return (
    <Section id="trading" title="Trading and risk">
      <ul>
        {ELSEWHERE.map(([to, name, text]) => (
          <li key={to} className="rule">
            <Link href={to} className="block min-h-11 py-2 hover:text-accent">
              <span className="font-medium text-accent underline underline-offset-2">{name}</span>
              <span className="block text-ink-3">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export default function SettingsScreen() {
  useAnchor(location.hash.slice(1));
  return (
    <>
      <ScreenTitle title="Settings" />
      <Contents />
      <div className="grid max-w-5xl gap-x-12 gap-y-8 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-8">
          <Profile />
          <div id="appearance" className="scroll-mt-24">
            <AppearanceSection />
          </div>
          <Elsewhere />
        </div>
        <div id="notifications" className="min-w-0 scroll-mt-24">
          <NotificationsSection />
        </div>
        <div id="data" className="flex min-w-0 scroll-mt-24 flex-col gap-8">
          <DeviceSection />
          <OwnDataSection />
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <DeleteAccount />
          <div id="app" className="scroll-mt-24">
            <ThisAppSection />
          </div>
        </div>
      </div>
    </>
  );
}
