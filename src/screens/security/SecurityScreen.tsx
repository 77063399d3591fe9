/** Security: the session, the sign-in, and what lies on this device. */
import { Link } from 'wouter';
import { ScreenTitle } from '../../components/Section.tsx';
import { useLookedAt } from '../getting-started/step-notes.ts';
import { DevicePart } from './DeviceSection.tsx';
import { SessionPart } from './SessionSection.tsx';
import { SignInPart } from './SignInSection.tsx';

const LINK = 'text-accent underline underline-offset-2';

export default function Security() {
  useLookedAt('security');
  return (
    <>
      <ScreenTitle title="Security" />
      <div className="grid max-w-5xl gap-x-12 gap-y-8 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-8">
          <SessionPart />
          <DevicePart />
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <SignInPart />
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
