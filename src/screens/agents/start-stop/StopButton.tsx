/** Stops one agent by one tap. No other control takes its place until the press is over. */
import { CircleStop } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { Button, type ButtonTone } from '../../../components/Button.tsx';
import type { AgentView } from '../../../stores/agent-view.ts';
import { stopOffer } from '../../../stores/stop-offer.ts';
import { pressStop } from './stop-press.ts';

/**
 * Whether Stop keeps its place: while it can be pressed, is waiting, or offers its Undo. Nothing
 * else may come under the finger then.
 */
export function useStopPlace(view: AgentView): boolean {
  const { offer } = useSnapshot(stopOffer);
  return view.canStop || view.pendingIntent === 'stop' || offer?.agent.id === view.agent.id;
}

/** The label while there is nothing to press. "Stopped" only by the server's word. */
function restingLabel({ agent, current, pendingIntent, entry }: AgentView): string {
  if (pendingIntent === 'stop' && entry?.state === 'saved') return 'Stop saved';
  return agent.status === 'stopped' && current ? 'Stopped' : 'Stop sent';
}

export interface StopButtonProps {
  view: AgentView;
  /**
   * `icon`: the icon alone, named for assistive technology. `word`: "Stop". `name`: "Stop Harbour".
   */
  shows: 'icon' | 'word' | 'name';
  tone?: ButtonTone;
  wide?: boolean;
}

export function StopButton({ view, shows, tone = 'danger-quiet', wide = false }: StopButtonProps) {
  const { agent, canStop } = view;
  const resting = canStop ? null : restingLabel(view);
  const label = resting ?? (shows === 'word' ? 'Stop' : `Stop ${agent.name}`);
  const spoken = resting === null ? label : `${resting}: ${agent.name}`;
  return (
    <Button
      tone={tone}
      size={shows === 'icon' ? 'icon' : 'md'}
      wide={wide}
      className={shows === 'word' ? 'min-w-32' : ''}
      data-act={`stop ${agent.id}`}
      data-steady
      aria-disabled={canStop ? undefined : true}
      aria-label={shows === 'icon' || resting !== null ? spoken : undefined}
      title={shows === 'icon' ? label : undefined}
      onClick={(event) => {
        if (canStop)
          pressStop(agent, event.currentTarget, event.nativeEvent.isTrusted && event.detail === 0);
      }}
    >
      <CircleStop className="size-4.5 shrink-0" aria-hidden />
      {shows !== 'icon' && <span className="min-w-0 truncate">{label}</span>}
    </Button>
  );
}
