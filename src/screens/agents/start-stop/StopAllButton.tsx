/** Stops all agents by one tap. Later taps do nothing while the first is being saved. */
import { CircleStop } from 'lucide-react';
import { stopAll, type CommandResult } from '../../../commands.ts';
import { Button, type ButtonTone } from '../../../components/Button.tsx';
import { showResult } from '../../show-result.ts';

export interface StopAllButtonProps {
  label?: string;
  tone?: ButtonTone;
  wide?: boolean;
  /** While a stop of all is waiting, the button keeps its place and does nothing. */
  resting?: boolean;
  onPress: (stopping: Promise<CommandResult>) => void;
}

export function StopAllButton({
  label = 'Stop all',
  tone = 'danger',
  wide = false,
  resting = false,
  onPress,
}: StopAllButtonProps) {
  const press = (): void => {
    if (resting) return;
    const stopping = stopAll();
    onPress(stopping);
    showResult(stopping);
  };
  return (
    <Button
      tone={tone}
      wide={wide}
      data-act="stop-all"
      data-steady
      aria-disabled={resting || undefined}
      onClick={press}
    >
      <CircleStop className="size-4.5" aria-hidden />
      {label}
    </Button>
  );
}
