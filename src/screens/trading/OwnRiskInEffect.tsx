/** A user's own risk values where they can only be removed, and the button that removes them. */
import type { RiskProfile } from '../../../contract/agents.ts';
import type { RiskProfileBody } from '../../../contract/user.ts';
import { api } from '../../api/api.ts';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line } from '../../components/Section.tsx';
import { formatNumber } from '../../format/numbers.ts';
import { loadSettings } from '../../stores/settings-store.ts';
import { PRESET_RISK } from '../agents/agent-risk.ts';
import { showFailure } from '../show-result.ts';

async function removeOwn(profile: RiskProfile): Promise<void> {
  await api.call('usePresets', { body: { profile } });
  await loadSettings(true);
}

/** Held, because a smaller plan could not set the values again. */
export function UsePresets({
  profile,
  blocked,
  onRemoved,
}: {
  profile: RiskProfile;
  blocked: string | null;
  onRemoved?: () => void;
}) {
  const { position, threshold, stop } = PRESET_RISK[profile];
  return (
    <HoldToConfirm
      label={`Use the ${profile} presets`}
      sentence={`Deletes your own ${profile} values. ${profile} agents then use: largest position ${formatNumber(position)} %, signal threshold ${formatNumber(threshold)}, stop loss ${formatNumber(stop)} %. Open positions keep their stop losses.`}
      size="sm"
      disabled={blocked !== null}
      onConfirm={() => {
        void showFailure(
          removeOwn(profile),
          `${profile} agents use the presets. Open positions keep their stop losses.`,
        ).then((isDone) => {
          if (isDone) onRemoved?.();
        });
      }}
    />
  );
}

export function OwnRiskInEffect({
  own,
  blocked,
}: {
  own: readonly Readonly<RiskProfileBody>[];
  blocked: string | null;
}) {
  return (
    <>
      <p className="mb-3 max-w-[56ch] text-ink-2">
        Your own values are still in effect. Your plan does not include changing them.
      </p>
      {own.map((values) => (
        <section key={values.profile} aria-label={`${values.profile} values`} className="mb-5">
          <h3 className="mb-1 font-medium">{values.profile}</h3>
          <dl>
            <Line term="Largest position">{formatNumber(values.max_position_percentage)} %</Line>
            <Line term="Signal threshold">{formatNumber(values.confidence_threshold)}</Line>
            <Line term="Stop loss">{formatNumber(values.stop_loss_percentage)} %</Line>
          </dl>
          <div className="mt-2 flex flex-wrap items-center gap-3">
            <UsePresets profile={values.profile} blocked={blocked} />
            {blocked !== null && <span className="text-ink-3">{blocked}</span>}
          </div>
        </section>
      ))}
    </>
  );
}
