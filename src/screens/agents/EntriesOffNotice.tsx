/** The notice that trading is paused, and by whom. */
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { EntriesOff } from '../../../contract/halts.ts';
import { entriesOffFor } from '../../../contract/entries-off.ts';
import { useNow } from '../../components/use-now.ts';
import { useCurrent } from '../../shell/data-age.ts';
import { agentsStore } from '../../stores/agents-store.ts';
import { offText, offTitle } from './entries-off-text.ts';

/** The halt that applies to this agent; with null, the one that applies to all agents. */
export function useEntriesOff(agentId: string | null): EntriesOff | null {
  const now = useNow(15_000);
  const off = useSnapshot(agentsStore).data?.entriesOff ?? [];
  return entriesOffFor(off, agentId, now);
}

export function EntriesOffNotice({
  agentId = null,
  className = 'mb-5',
}: {
  agentId?: string | null;
  className?: string;
}) {
  const off = useEntriesOff(agentId);
  const now = useNow(15_000);
  const current = useCurrent('agents');
  if (off === null) return null;
  return (
    <section
      role="status"
      aria-label="Trading paused"
      className={`border-l-2 border-amber py-1 pl-4 ${className}`}
    >
      <p className="font-medium text-amber">
        {offTitle(off)}
        {current ? '' : ' when last seen'}
      </p>
      <p className="max-w-[70ch] text-ink-2">
        {offText(off, now)}
        {off.by === 'you' && (
          <>
            {' '}
            <Link href="/trading" className="text-accent underline underline-offset-2">
              Trading settings
            </Link>
          </>
        )}
      </p>
    </section>
  );
}
