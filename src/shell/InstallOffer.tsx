/** Offers to install the app, in the page's flow, after the first trade. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../components/Button.tsx';
import { session } from '../identity/session.ts';
import { readNotes } from '../screens/getting-started/step-notes.ts';
import { connection } from '../stores/connection.ts';
import { askToInstall, declineInstall, install, installWay } from '../platform/install.ts';
import { InstallSteps } from './InstallSteps.tsx';

/** Below everything else on the page, so that it covers and moves nothing. */
export function InstallOffer() {
  const { event, declined, installed } = useSnapshot(install);
  const uid = useSnapshot(session).user?.uid ?? '';
  const offline = useSnapshot(connection).online === 'offline';
  // Checked once per screen: the screen on which the first trade appears does not show it.
  const [seenTrade] = useState(() => readNotes(uid).has('trade'));
  const way = installWay({ event, declined, installed });
  if (way === null || !seenTrade || offline) return null;
  return (
    <section
      aria-label="Install"
      className="rule mx-auto flex w-full max-w-[80rem] flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 md:px-6"
    >
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium">Install Tradewind</p>
        <p className="text-ink-2">
          {way === 'prompt'
            ? 'Use it offline and stop all agents from its icon.'
            : 'Use it offline and get notifications.'}
        </p>
        {way === 'share' && <InstallSteps />}
      </div>
      <div className="flex gap-2">
        {way === 'prompt' && (
          <Button
            size="sm"
            tone="primary"
            onClick={() => {
              void askToInstall();
            }}
          >
            Install
          </Button>
        )}
        <Button size="sm" onClick={declineInstall}>
          {way === 'prompt' ? 'Not now' : 'Got it'}
        </Button>
      </div>
    </section>
  );
}
