/** Security: session, login and the data on this device. */
import { Link } from 'wouter';
import { ScreenTitle } from '../../components/Section.tsx';
import { useLookedAt } from '../getting-started/step-notes.ts';
import { DeviceSection } from './DeviceSection.tsx';
import { PasskeysSection } from './PasskeysSection.tsx';
import { SessionSection } from './SessionSection.tsx';
import { SignInSection } from './SignInSection.tsx';

const LINK = 'text-accent underline underline-offset-2';

export default function SecurityScreen() {
  useLookedAt('security');
  return (
    <>
      <ScreenTitle title="Security" />
      <div className="grid max-w-5xl gap-x-12 gap-y-8 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-8">
          <SessionSection />
          <DeviceSection />
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <SignInSection />
          <PasskeysSection />
        </div>
      </div>
      <p className="mt-8 text-ink-2">
        <Link href="/settings#notifications" className={LINK}>
          Notifications
        </Link>
        , appearance, and the{' '}
        <Link href="/settings#data" className={LINK}>
          export or deletion of your data
        </Link>{' '}
        are in Settings.
      </p>
    </>
  );
}
