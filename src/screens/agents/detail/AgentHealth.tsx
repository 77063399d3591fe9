/** Why an agent is halted and until when, and how much headroom its guards leave. */
import { useSnapshot } from 'valtio';
import type { Agent, Decision } from '../../../../contract/agents.ts';
import { Age } from '../../../components/Age.tsx';
import { Ratio } from '../../../components/Figures.tsx';
import { Line, Section } from '../../../components/Section.tsx';
import { formatNumber, formatRatio } from '../../../format/numbers.ts';
import { localSentence } from '../../../format/sentences.ts';
import { formatUntil } from '../../../format/ages.ts';
import { formatWhen } from '../../../format/times.ts';
import { useCurrent } from '../../../shell/data-age.ts';
import { STALE_AFTER } from '../../../stores/data-kinds.ts';
import { connection } from '../../../stores/connection.ts';
import { loadSettings, settingsStore } from '../../../stores/settings-store.ts';
import { useInsight, useMarketNow, useMarketSpeed, useSlot } from '../../use-store.ts';
import { useEntriesOff } from '../EntriesOffNotice.tsx';
import { heldBack } from './held-back.ts';
import { RISK_UNREAD, riskOf } from '../agent-risk.ts';

const UNREAD = <Ratio value={null} why={RISK_UNREAD} />;

/** When and how the halt ends. `now` and `until` on the market clock. */
export function untilText(
  { status, hold }: Pick<Agent, 'status' | 'hold'>,
  now: number,
  speed = 1,
): string {
  if (status === 'faulted') return 'No checks until you start it again. Stop losses stay active.';
  if (hold === null) return '';
  const ends =
    hold.until === null
      ? 'To resume, stop the agent and start it again.'
      : `Resumes ${formatWhen(hold.until, now)}${speed === 1 ? ` (${formatUntil(Math.max(0, hold.until - now))})` : ' market time'}.`;
  return `${ends} Until then, no new positions. Stop losses and exits stay active.`;
}

/** The same while the server is away: what was known, not what is. */
function untilThenText({ status, hold }: Pick<Agent, 'status' | 'hold'>, now: number): string {
  if (status === 'faulted')
    return 'When last seen, it made no checks until a new start. Stop losses were active.';
  if (hold === null) return '';
  return hold.until === null
    ? 'When last seen, it had to be stopped and started again to resume.'
    : `When last seen, it was to resume ${formatWhen(hold.until, now)} market time.`;
}

export function HoldNotice({ agent }: { agent: Agent }) {
  const now = useMarketNow(60_000);
  const speed = useMarketSpeed();
  const current = useCurrent('agents');
  if (agent.status !== 'halted' && agent.status !== 'faulted') return null;
  const bad = agent.status === 'faulted';
  return (
    <div
      role="status"
      className={`mb-5 border-l-2 py-1 pl-4 ${bad ? 'border-danger' : 'border-amber'}`}
    >
      <p className={`font-medium ${bad ? 'text-danger' : 'text-amber'}`}>
        {bad ? 'Stopped by a fault' : 'Halted by a guard'}
        {current ? '' : ' when last seen'}
        {agent.hold === null ? '' : `. ${localSentence(agent.hold.text, now)}`}
      </p>
      <p className="text-ink-2">
        {current ? untilText(agent, now, speed) : untilThenText(agent, now)}
      </p>
    </div>
  );
}

function Used({ used, limit }: { used: number | null; limit: number }) {
  const share = used === null ? 0 : Math.min(1, used / limit);
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden className="block h-1.5 w-10 rounded-sm bg-line">
        <span
          className={`block h-full rounded-sm ${share >= 0.75 ? 'bg-amber' : 'bg-line-strong'}`}
          style={{ width: `${(share * 100).toFixed(0)}%` }}
        />
      </span>
      <span className="whitespace-nowrap">
        <Ratio value={used} share why="Set at the first check of the day" />
        <span className="text-ink-3">
          {' '}
          of <Ratio value={limit} share />
        </span>
      </span>
    </span>
  );
}

/** The hint to Pro, or the age of the figures while the server is away. */
function GuardsNote({ isPro, age }: { isPro: boolean; age: number | null }) {
  if (!isPro) return <span className="text-xs">See headroom with Pro</span>;
  return age === null ? null : <Age savedAt={age} staleAfterMs={STALE_AFTER.agents} />;
}

/** The limits of the agent's guards, and with Pro how much of them is used. */
export function Guards({ agent, decisions }: { agent: Agent; decisions: readonly Decision[] }) {
  const now = useMarketNow(60_000);
  // A trading halt is already shown at the top of the page.
  const off = useEntriesOff(agent.id) !== null;
  const back =
    agent.status === 'stopped' ? [] : heldBack(decisions, off ? 'entries_stopped' : null);
  const slot = useInsight();
  const insight = slot.data;
  const { online } = useSnapshot(connection);
  const own = useSlot(settingsStore, loadSettings).data?.riskProfiles ?? null;
  const distance = insight?.pro?.risk.find((one) => one.agentId === agent.id);
  const risk = riskOf(agent.risk_profile, own ?? []);
  return (
    <Section
      title="Limits"
      aside={
        insight === null ? undefined : (
          <GuardsNote
            isPro={insight.pro !== null}
            age={online === 'offline' ? slot.savedAt : null}
          />
        )
      }
    >
      <dl>
        <Line term="Signal needed to enter">
          {own === null ? UNREAD : `${formatRatio(risk.threshold)} or more`}
        </Line>
        <Line term="Stop loss of each position">
          {own === null ? UNREAD : `${formatNumber(risk.stop)}\u202f% below entry`}
        </Line>
        <Line term="Loss today">
          {distance === undefined ? (
            `halts at ${formatNumber(risk.dayLoss)}\u202f%`
          ) : (
            <Used used={distance.dayLoss} limit={distance.dayLossLimit} />
          )}
        </Line>
        <Line term="Drawdown">
          {distance === undefined ? (
            `halts at ${formatNumber(risk.drawdown)}\u202f%`
          ) : (
            <Used used={distance.drawdown} limit={distance.drawdownLimit} />
          )}
        </Line>
      </dl>
      {back.length > 0 && (
        <div className="rule py-2">
          <p className="text-xs text-ink-3">At the last check</p>
          <ul>
            {back.map(({ pairs, text }) => (
              <li key={text} className="mt-1 border-l-2 border-amber pl-2">
                <span className="font-medium">
                  {pairs.map((pair) => pair.split('/')[0]).join(', ')}
                </span>{' '}
                <span className="text-ink-2">{localSentence(text, now)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <p className="rule pt-2 text-xs text-ink-3">
        Measured on the account's equity. After a stop loss, the pair is paused for 24 h. After
        three in a day, all pairs are paused for 12 h.
      </p>
    </Section>
  );
}
