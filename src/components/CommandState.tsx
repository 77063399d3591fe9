/** The state of a queued command as an icon and a sentence. */
import { Check, CircleAlert, Clock3, LoaderCircle } from 'lucide-react';
import { classes } from './class-names.ts';

export type CommandPhase =
  | 'saved'
  | 'sending'
  | 'needs-you'
  | 'failed'
  | 'lapsed'
  | 'cancelled'
  | 'accepted';

const ICON = {
  saved: Clock3,
  sending: LoaderCircle,
  'needs-you': CircleAlert,
  failed: CircleAlert,
  lapsed: CircleAlert,
  cancelled: Check,
  accepted: Check,
} as const;
const TONE: Record<CommandPhase, string> = {
  saved: 'text-amber',
  sending: 'text-ink-2',
  'needs-you': 'text-amber',
  failed: 'text-danger',
  lapsed: 'text-amber',
  cancelled: 'text-ink-3',
  accepted: 'text-ink-2',
};

export function CommandState({
  phase,
  children,
  className,
}: {
  phase: CommandPhase;
  children: string;
  className?: string;
}) {
  const Icon = ICON[phase];
  return (
    <span className={classes('inline-flex min-w-0 items-start gap-1.5', TONE[phase], className)}>
      <Icon
        aria-hidden
        className={classes('mt-[3px] size-3.5 shrink-0', phase === 'sending' && 'spin')}
      />
      <span className="min-w-0">{children}</span>
    </span>
  );
}
