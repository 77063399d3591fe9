/** The offer to install the app: by the browser's own prompt, or in steps. */
import { Button } from '../components/Button.tsx';
import { askToInstall, declineInstall } from '../platform/install.ts';
import { InstallSteps } from './InstallSteps.tsx';

export function InstallCard({ way }: { way: 'prompt' | 'share' }) {
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
