/** Trading settings, own risk values and the wallet; refuses to pretend that anything is saved before the server says so. */
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { permits, type Permission } from '../../../contract/tiers.ts';
import type { UserSettings } from '../../../contract/user.ts';
import { ReadError, Unfilled } from '../../components/EmptyState.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { PaperTag } from '../../components/Tags.tsx';
import { connection } from '../../stores/connection.ts';
import { portfolioStore } from '../../stores/portfolio.ts';
import { useSecurity } from '../../stores/security.ts';
import { loadSettings, settingsStore } from '../../stores/settings.ts';
import { session } from '../../identity/session.ts';
import { UpgradeHere } from '../subscription/UpgradeHere.tsx';
import { RiskForm } from './risk-form.tsx';
import { SettingsForm } from './settings-form.tsx';
import { WalletSection } from './wallet-section.tsx';
import { WalletStatus } from './wallet-status.tsx';

/** Never seen: it only gives the form its height. */
const UNKNOWN: UserSettings = { displayName: '', tradingEnabled: false, tradingMode: 'paused', tradingFrequency: 'optimized', riskProfile: 'conservative', maxTradeAmount: 1, notificationsEnabled: false };

function useBlocked(): string | null {
  const { online } = useSnapshot(connection);
  const { status } = useSnapshot(session);
  if (status === 'expired') return 'Your sign-in is over: sign in again to save.';
  return online === 'offline' ? 'Offline. What you type stays here; save when you are back.' : null;
}

function RiskSection({ blocked, permissions }: { blocked: string | null; permissions: readonly Permission[] }) {
  const { data } = useSnapshot(settingsStore);
  if (!permits(permissions, 'trading', 'standard')) {
    return (
      <Section title="Your own risk values">
        <p className="mb-3 max-w-[56ch] text-ink-2">Agents run on the presets of their profile. A larger plan, and the trial, let you set the largest position, the signal threshold and the stop loss yourself.</p>
        <UpgradeHere need={{ resource: 'trading', action: 'standard' }} typed />
      </Section>
    );
  }
  return <Section title="Your own risk values">{data === null ? <Unfilled><RiskForm own={[]} blocked={null} /></Unfilled> : <RiskForm own={data.riskProfiles} blocked={blocked} />}</Section>;
}

export default function TradingScreen() {
  const { data, error } = useSnapshot(settingsStore);
  const quote = useSnapshot(portfolioStore).data?.quote ?? '';
  const { permissions } = useSecurity();
  const blocked = useBlocked();
  useEffect(() => { void loadSettings(); }, []);
  return (
    <>
      <ScreenTitle title="Trading"><PaperTag /></ScreenTitle>
      <ReadError message={error} hasData={data !== null} onRetry={() => { void loadSettings(true); }} />
      <div className="grid gap-x-14 gap-y-10 xl:grid-cols-2">
        <Section title="Trading settings">
          {data === null ? error === null && <Unfilled><SettingsForm initial={UNKNOWN} version={0} quote="" blocked={null} /></Unfilled>
            : <SettingsForm initial={data.settings} version={data.version} quote={quote} blocked={blocked} />}
        </Section>
        <RiskSection blocked={blocked} permissions={permissions} />
        <div className="min-w-0 xl:col-span-2"><WalletStatus /></div>
        <div className="min-w-0 xl:col-span-2"><WalletSection /></div>
      </div>
    </>
  );
}
