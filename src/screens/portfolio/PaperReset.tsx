/** Opens a new paper account in place of the present one, once however often it is held. */
import { proxy, useSnapshot } from 'valtio';
import type { Portfolio } from '../../../contract/trading.ts';
import { api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { CommandState } from '../../components/CommandState.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Section } from '../../components/Section.tsx';
import { onPurge } from '../../identity/session.ts';
import { loadAgents } from '../../stores/agents-store.ts';
import { loadAnalytics } from '../../stores/analytics-store.ts';
import { connection } from '../../stores/connection.ts';
import { loadHistory } from '../../stores/fills-store.ts';
import { applyPortfolio, loadPortfolio } from '../../stores/portfolio-store.ts';
import { showFailure } from '../show-result.ts';

interface Asked {
  commandId: string;
  /** The account that it closes. */
  book: number;
}

/** Beside the screen, which may be left and drawn twice, by the width of the window. */
const resetting = proxy<{ busy: boolean; asked: Asked | null }>({ busy: false, asked: null });
/** Which request counts: the end of one before a logout changes nothing for the next person. */
let lastRun = 0;
onPurge(() => {
  lastRun += 1;
  Object.assign(resetting, { busy: false, asked: null });
  return Promise.resolve();
});

/** All that a new account changes, its trades among them: those of the old are not its own. */
const readAccount = (): Promise<unknown> =>
  Promise.all([loadAgents(true), loadHistory(true), loadPortfolio(true), loadAnalytics(true)]);

/** The same request for one account until its answer is known: so it is carried out once at most. */
async function reset(book: number): Promise<void> {
  lastRun += 1;
  const run = lastRun;
  const asked =
    resetting.asked?.book === book ? resetting.asked : { commandId: crypto.randomUUID(), book };
  Object.assign(resetting, { busy: true, asked });
  try {
    const { portfolio } = await api.call('resetPaper', { commandId: asked.commandId });
    if (run !== lastRun) return;
    resetting.asked = null;
    applyPortfolio(portfolio, 'network');
  } catch (error) {
    if (run === lastRun) {
      if (!(error instanceof ApiError && error.mayHaveArrived)) resetting.asked = null;
      // It may be done all the same: its number tells.
      else void readAccount();
    }
    throw error;
  } finally {
    if (run === lastRun) resetting.busy = false;
  }
}

async function resetAndRead(book: number): Promise<void> {
  if (resetting.busy) return;
  if (await showFailure(reset(book), 'New paper account opened. The old account is kept.'))
    await readAccount();
}

function Progress({ busy, unanswered }: { busy: boolean; unanswered: boolean }) {
  return (
    <p role="status" className="mt-2 text-xs empty:hidden">
      {busy && (
        <CommandState phase="sending">
          Asking the server for a new account. Nothing counts as reset until it answers.
        </CommandState>
      )}
      {!busy && unanswered && (
        <CommandState phase="needs-you">
          The server has not confirmed it. The account may have been reset. Holding again does not
          reset it twice.
        </CommandState>
      )}
    </p>
  );
}

export function PaperReset({ portfolio }: { portfolio: Portfolio | null }) {
  const { online } = useSnapshot(connection);
  const { busy, asked } = useSnapshot(resetting);
  const open = portfolio?.positions.length ?? null;
  const closing =
    open === null
      ? ''
      : `The current one closes with ${open} open ${open === 1 ? 'position' : 'positions'}.`;
  return (
    <Section title="Paper account">
      <p className="rule py-3 text-ink-2">
        Opens a new account with a new deposit. Stops all agents and closes the old account with its
        positions. You can still view the old account.
      </p>
      <HoldToConfirm
        label="Reset paper account"
        sentence={`Opens a new paper account. ${closing}`}
        disabled={online === 'offline' || portfolio === null || busy}
        onConfirm={() => {
          if (portfolio !== null) void resetAndRead(portfolio.book);
        }}
      />
      <Progress busy={busy} unanswered={asked !== null && asked.book === portfolio?.book} />
      {online === 'offline' && <p className="mt-2 text-xs text-ink-3">Needs a connection.</p>}
    </Section>
  );
}
