/** The three risk profiles, each with its maximum loss in money for this account. */
import { useSnapshot } from 'valtio';
import { PositionSize } from '../../../../contract/agents.ts';
import { classes } from '../../../components/class-names.ts';
import { Amount } from '../../../components/Figures.tsx';
import { formatNumber, formatRatio, UNKNOWN } from '../../../format/numbers.ts';
import { typedNumber } from '../../../format/typed-numbers.ts';
import { loadMarket, marketStore } from '../../../stores/market-store.ts';
import { loadPortfolio, portfolioStore } from '../../../stores/portfolio-store.ts';
import { loadSettings, settingsStore } from '../../../stores/settings-store.ts';
import { useSlot } from '../../use-store.ts';
import { PRESETS, type AgentDraft } from './agent-draft.ts';
import { positionLimit, RISK_UNREAD, riskOf, worstLoss, type RiskNumbers } from '../agent-risk.ts';

const NO_EQUITY = 'Equity not loaded yet';

/** An invalid size counts as the preset's. */
function sizeOf(typed: string, preset: string): number {
  const size = typedNumber(typed);
  return size !== undefined && PositionSize.safeParse(size).success ? size : Number(preset);
}

/** The largest position and maximum loss of the draft; decimal text, or why they are unknown. */
export function useWorstLoss(draft: Pick<AgentDraft, 'risk_profile' | 'size'>): {
  position: string | undefined;
  loss: string | undefined;
  /** Whether the loss includes fees; their rate may not be known. */
  hasFees: boolean;
  why: string;
} {
  const own = useSlot(settingsStore, loadSettings).data?.riskProfiles ?? null;
  const equity = useSlot(portfolioStore, loadPortfolio).data?.equity ?? null;
  const feeBps = useSlot(marketStore, loadMarket).data?.source.feeBps;
  const preset = PRESETS.find(({ profile }) => profile === draft.risk_profile);
  const known = { hasFees: feeBps !== undefined, why: own === null ? RISK_UNREAD : NO_EQUITY };
  if (own === null || equity === null || preset === undefined)
    return { position: undefined, loss: undefined, ...known };
  return {
    ...worstLoss(sizeOf(draft.size, preset.size), equity, riskOf(preset.profile, own), feeBps),
    ...known,
  };
}

/** The largest position of a size and what it loses at its stop; null where it is not known. */
export type WorstLoss = (size: number, risk: RiskNumbers) => ReturnType<typeof worstLoss> | null;

function Preset({
  preset,
  chosen,
  size,
  quote,
  worstOf,
  why: whyNoLoss,
  onChoose,
}: {
  preset: (typeof PRESETS)[number];
  chosen: boolean;
  size: string;
  quote: string;
  worstOf: WorstLoss;
  why: string;
  onChoose: () => void;
}) {
  const own = useSnapshot(settingsStore).data?.riskProfiles ?? null;
  const risk = riskOf(preset.profile, own ?? []);
  const worst = own === null ? null : worstOf(sizeOf(size, preset.size), risk);
  const why = own === null ? RISK_UNREAD : whyNoLoss;
  const orUnknown = (text: string): string => (own === null ? UNKNOWN : text);
  return (
    <label
      className={classes(
        'block cursor-pointer rounded-md border p-3 has-focus-visible:outline-2 has-focus-visible:outline-accent',
        chosen ? 'border-accent bg-accent-wash' : 'border-line-strong/60 hover:border-line-strong',
      )}
    >
      <span className="flex items-baseline justify-between gap-3">
        <span className="flex items-baseline gap-2 font-medium">
          <input
            type="radio"
            name="preset"
            checked={chosen}
            onChange={onChoose}
            className="accent-accent"
          />
          {preset.profile}
          {risk.isOwn && <span className="text-xs font-normal text-ink-3">your own values</span>}
        </span>
        <Amount value={worst?.loss} change quote={quote} why={why} />
      </span>
      <span className="mt-1 flex items-baseline justify-between gap-3 text-xs">
        <span className="text-ink-2">{preset.line}</span>
        <span className="shrink-0 text-ink-3">max. loss per pair</span>
      </span>
      <span className="mt-1 block text-xs text-ink-3">
        At most <Amount value={worst?.position} quote={quote} why={why} /> per pair (
        {orUnknown(formatNumber(Number(positionLimit(risk).toFixed(2))))}
        {'\u202f%'} of equity). Stop loss {orUnknown(formatNumber(risk.stop))} {'\u202f%'} below
        entry. Enters at a signal of {orUnknown(formatRatio(risk.threshold))} or more. No new
        positions after losing {formatNumber(risk.dayLoss)} {'\u202f%'} in a day or{' '}
        {formatNumber(risk.drawdown)} {'\u202f%'} from the peak.
      </span>
    </label>
  );
}

export interface PresetProps {
  draft: Pick<AgentDraft, 'risk_profile' | 'size'>;
  quote: string;
  legend: string;
  onChange: (part: Pick<AgentDraft, 'risk_profile' | 'size'>) => void;
}

/** By the paper account. */
export function RiskPresets(props: PresetProps) {
  useSlot(settingsStore, loadSettings);
  const equity = useSlot(portfolioStore, loadPortfolio).data?.equity ?? null;
  const feeBps = useSlot(marketStore, loadMarket).data?.source.feeBps;
  return (
    <PresetChoice
      {...props}
      worstOf={(size, risk) => (equity === null ? null : worstLoss(size, equity, risk, feeBps))}
      why={NO_EQUITY}
      hasFees={feeBps !== undefined}
      money="Paper money."
    />
  );
}

/** `size` is the draft's for the chosen profile, and the preset's for the others. */
export function PresetChoice({
  draft,
  quote,
  legend,
  onChange,
  worstOf,
  why,
  hasFees,
  money,
}: PresetProps & { worstOf: WorstLoss; why: string; hasFees: boolean; money: string }) {
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 font-medium">{legend}</legend>
        {PRESETS.map((preset) => (
          <Preset
            key={preset.profile}
            preset={preset}
            chosen={draft.risk_profile === preset.profile}
            quote={quote}
            worstOf={worstOf}
            why={why}
            size={draft.risk_profile === preset.profile ? draft.size : preset.size}
            onChoose={() => {
              onChange({ risk_profile: preset.profile, size: preset.size });
            }}
          />
        ))}
      </fieldset>
      <p className="mt-3 text-xs text-ink-3">
        Loss at the stop price{hasFees ? ', including fees' : ', before fees'}. If the price gaps,
        you can lose more. {money}
      </p>
    </>
  );
}
