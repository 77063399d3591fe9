/** Offers the home screen once an agent runs, because that is when it is worth having; refuses to come back after a no. */
import { useSnapshot } from 'valtio';
import { Button } from '../components/Button.tsx';
import { agentsStore } from '../stores/agents.ts';
import { askToInstall, declineInstall, install, installWay } from './install.ts';

export function InstallOffer({ className }: { className: string }) {
  const { event, declined, installed } = useSnapshot(install);
  const { data } = useSnapshot(agentsStore);
  const way = installWay({ event, declined, installed });
  if (way === null || data?.agents.some((agent) => agent.status === 'running') !== true) return null;
  return (
    <section aria-label="Install" className={className}>
      <p className="font-medium">Your agents run without you. Keep Stop at hand.</p>
      <p className="mt-1 text-ink-2">{way === 'prompt'
        ? 'Installed, Tradewind opens offline and has Stop all on its icon.'
        : 'Tap Share, then Add to Home Screen: Tradewind then opens offline and can notify you.'}</p>
      <div className="mt-2 flex gap-2">
        {way === 'prompt' && <Button size="sm" tone="primary" onClick={() => { void askToInstall(); }}>Install</Button>}
        <Button size="sm" onClick={declineInstall}>{way === 'prompt' ? 'Not now' : 'Understood'}</Button>
      </div>
    </section>
  );
}
