/** Offers the home screen once an agent runs or the person comes back, because then it is worth having; refuses to come back after a no. */
import { useSnapshot } from 'valtio';
import { Button } from '../components/Button.tsx';
import { agentsStore } from '../stores/agents.ts';
import { askToInstall, declineInstall, install, installWay } from './install.ts';
import { InstallSteps } from './InstallSteps.tsx';

export function InstallOffer({ className }: { className: string }) {
  const { event, declined, installed, returning } = useSnapshot(install);
  const { data } = useSnapshot(agentsStore);
  const way = installWay({ event, declined, installed });
  const running = data?.agents.some((agent) => agent.status === 'running') === true;
  if (way === null || !(running || returning)) return null;
  return (
    <section aria-label="Install" className={className}>
      <p className="font-medium">{running ? 'Your agents run without you. Keep Stop at hand.' : 'Keep Tradewind on this device.'}</p>
      <p className="mt-1 text-ink-2">{way === 'prompt'
        ? 'Installed, Tradewind opens offline and has Stop all on its icon.'
        : 'On the home screen Tradewind opens offline and can notify you.'}</p>
      {way === 'share' && <InstallSteps />}
      <div className="mt-3 flex gap-2">
        {way === 'prompt' && <Button size="sm" tone="primary" onClick={() => { void askToInstall(); }}>Install</Button>}
        <Button size="sm" onClick={declineInstall}>{way === 'prompt' ? 'Not now' : 'Understood'}</Button>
      </div>
    </section>
  );
}
