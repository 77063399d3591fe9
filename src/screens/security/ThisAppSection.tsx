/**
 * Whether the app is installed here and how it can be, at any time and after a no; refuses to ask
 * twice by itself.
 */
import { useSnapshot } from 'valtio';
import { Button } from '../../components/Button.tsx';
import { Section } from '../../components/Section.tsx';
import { askToInstall, install, installWay, isStandalone } from '../../platform/install.ts';
import { InstallSteps } from '../../shell/InstallSteps.tsx';

export function ThisAppSection() {
  const { event, installed } = useSnapshot(install);
  const way = installWay({ event, declined: false, installed });
  return (
    <Section title="App">
      {way === null ? (
        <p className="rule py-3 text-ink-2">
          {installed || isStandalone()
            ? 'Tradewind is installed on this device.'
            : 'This browser offers no installation here. Chrome and Edge have it in their menu, Safari under Share or File.'}
        </p>
      ) : (
        <div className="rule py-3 text-ink-2">
          <p>
            Installed, Tradewind has an icon and a window of its own, opens offline and has Stop all
            agents on its icon.
          </p>
          {way === 'share' ? (
            <InstallSteps />
          ) : (
            <Button
              className="mt-3"
              onClick={() => {
                void askToInstall();
              }}
            >
              Install
            </Button>
          )}
        </div>
      )}
    </Section>
  );
}
