/** Whether and how the app can be installed on this device. */
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
            : 'To install, use the menu in Chrome or Edge, or Share or File in Safari.'}
        </p>
      ) : (
        <div className="rule py-3 text-ink-2">
          <p>
            Install Tradewind to open it from its own icon, use it offline and stop all agents from
            the icon.
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
