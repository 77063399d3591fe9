/** Trading settings and own risk values, with the wallet below. */
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { permits } from '../../../contract/tiers.ts';
import type { Permission } from '../../../contract/permission.ts';
import { Link } from 'wouter';
import { NotRead, Unfilled } from '../../components/EmptyState.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { PaperTag } from '../../components/Tags.tsx';
import { accountChoice } from '../../stores/account-choice.ts';
import { portfolioStore } from '../../stores/portfolio-store.ts';
import { useSecurity } from '../../stores/use-security.ts';
import { loadSettings, settingsStore } from '../../stores/settings-store.ts';
import { useAnchor } from '../content/DocumentPage.tsx';
import { UpgradeHere } from '../subscription/UpgradeHere.tsx';
import { OwnRiskInEffect } from './OwnRiskInEffect.tsx';
import { RiskForm } from './RiskForm.tsx';
import { UNKNOWN_SETTINGS, useBlocked } from './settings-access.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { WalletSection } from './WalletSection.tsx';
import { WalletStatus } from './WalletStatus.tsx';

function RiskSection({
  blocked,
  permissions,
}: {
  blocked: string | null;
  permissions: readonly Permission[];
}) {
  const { data, error } = useSnapshot(settingsStore);
  if (!permits(permissions, 'trading', 'standard')) {
    return (
      <Section id="risk" title="Your own risk values">
        {data !== null && data.riskProfiles.length > 0 && (
          <OwnRiskInEffect own={data.riskProfiles} blocked={blocked} />
        )}
        <p className="mb-3 min-h-15 max-w-[56ch] text-ink-2">
          {data?.riskProfiles.length === 0 && 'Agents use the presets of their profile. '}
          With a larger plan or the trial, you can set the largest position, signal threshold and
          stop loss yourself.
        </p>
        <UpgradeHere need={{ resource: 'trading', action: 'standard' }} typed />
      </Section>
    );
  }
  return (
    <Section id="risk" title="Your own risk values">
      {data !== null && <RiskForm own={data.riskProfiles} blocked={blocked} />}
      {data === null && error === null && (
        <Unfilled>
          <RiskForm own={[]} blocked={null} />
        </Unfilled>
      )}
      {data === null && error !== null && <NotRead />}
    </Section>
  );
}

export default function TradingScreen() {
  const { data, error } = useSnapshot(settingsStore);
  const quote = useSnapshot(portfolioStore).data?.quote ?? '';
  const { permissions } = useSecurity();
  const blocked = useBlocked();
  const hasExchange = useSnapshot(accountChoice).known.length > 0;
  useEffect(() => {
    void loadSettings();
  }, []);
  useAnchor(location.hash.slice(1));
  return (
    <>
      <ScreenTitle
        title="Trading"
        note={
          <>
            {hasExchange ? 'Rules for all your agents, paper and live.' : 'Rules for your agents.'}{' '}
            <Link href="/wallet" className="text-accent underline underline-offset-2">
              Wallet
            </Link>{' '}
            and{' '}
            <Link href="/settings" className="text-accent underline underline-offset-2">
              Settings
            </Link>{' '}
            have their own screens.
          </>
        }
      >
        {!hasExchange && <PaperTag />}
      </ScreenTitle>
      <ScreenError
        message={error}
        hasData={data !== null}
        onRetry={() => {
          void loadSettings(true);
        }}
      />
      <div className="grid gap-x-14 gap-y-10 xl:grid-cols-2">
        <Section id="settings" title="Trading settings">
          {data === null ? (
            error === null ? (
              <Unfilled>
                <SettingsForm initial={UNKNOWN_SETTINGS} version={0} quote="" blocked={null} />
              </Unfilled>
            ) : (
              <NotRead />
            )
          ) : (
            <SettingsForm
              initial={data.settings}
              version={data.version}
              quote={quote}
              blocked={blocked}
            />
          )}
        </Section>
        <RiskSection blocked={blocked} permissions={permissions} />
        <div className="min-w-0 xl:col-span-2">
          <WalletStatus />
        </div>
        <div className="min-w-0 xl:col-span-2">
          <WalletSection />
        </div>
      </div>
    </>
  );
}

/** The wallet on a screen of its own: the trading account, linked addresses and the wallet kit. */
export function WalletScreen() {
  const hasExchange = useSnapshot(accountChoice).known.length > 0;
  return (
    <>
      <ScreenTitle title="Wallet" note="Agents cannot spend from your wallet.">
        {!hasExchange && <PaperTag />}
      </ScreenTitle>
      <div className="grid gap-10">
        <div className="min-w-0">
          <WalletStatus />
        </div>
        <div className="min-w-0">
          <WalletSection />
        </div>
      </div>
    </>
  );
}
