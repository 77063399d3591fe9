/** Timeframe and indicators of all charts, kept on this device. */
import { proxy } from 'valtio';
import type { CandleInterval } from '../../contract/market.ts';
import { CHART_INTERVALS, INTERVAL_MS } from '../../contract/intervals.ts';
import { session } from '../identity/session.ts';
import {
  changePreference,
  readPreference,
  type Preference,
} from '../offline/device-preferences.ts';

export const AVERAGE_PERIODS = [10, 20, 50, 100, 200] as const;
export const RSI_PERIODS = [7, 14, 21] as const;
/** Most lines that can be told apart over candles. */
export const AVERAGES_MAX = 4;

export interface ChartChoices {
  /** Null until the user has chosen one. */
  interval: CandleInterval | null;
  sma: number[];
  ema: number[];
  rsi: number | null;
  volume: boolean;
}

const usual = (): ChartChoices => ({ interval: null, sma: [], ema: [20], rsi: null, volume: true });
/** `ready`: loaded from the device, so that no chart is drawn twice. */
export const chartChoices = proxy<ChartChoices & { ready: boolean }>({ ...usual(), ready: false });

const isInterval = (name: string | null): name is CandleInterval =>
  CHART_INTERVALS.some((interval) => interval === name);
const offered = (periods: readonly number[]): number[] =>
  AVERAGE_PERIODS.filter((period) => periods.includes(period));

function known({ interval, sma, ema, rsi, volume }: Preference<'chart'>): ChartChoices {
  const simple = offered(sma).slice(0, AVERAGES_MAX);
  return {
    interval: isInterval(interval) ? interval : null,
    sma: simple,
    ema: offered(ema).slice(0, AVERAGES_MAX - simple.length),
    rsi: RSI_PERIODS.find((period) => period === rsi) ?? null,
    volume,
  };
}

/** Loads a user's choices; `present` says whether they are still logged in. */
export async function loadChartChoices(
  uid: string,
  present: () => boolean = () => true,
): Promise<void> {
  try {
    const kept = await readPreference(uid, 'chart');
    if (kept !== null && present()) Object.assign(chartChoices, known(kept));
  } finally {
    if (present()) chartChoices.ready = true;
  }
}

/** Applies a choice at once and saves it. */
export async function chooseChart(part: Partial<ChartChoices>): Promise<void> {
  Object.assign(chartChoices, part);
  const { interval, sma, ema, rsi, volume } = chartChoices;
  const uid = session.user?.uid;
  if (uid === undefined) return;
  await changePreference(uid, 'chart', () => ({
    interval,
    sma: [...sma],
    ema: [...ema],
    rsi,
    volume,
  }));
}

export function clearChartChoices(): void {
  Object.assign(chartChoices, usual(), { ready: false });
}

/**
 * The chosen timeframe if the source has it, otherwise the next longer one, otherwise its longest.
 */
export function timeframeFor(
  wanted: CandleInterval,
  has: readonly CandleInterval[],
): CandleInterval {
  const longer = has.find((interval) => INTERVAL_MS[interval] >= INTERVAL_MS[wanted]);
  return longer ?? has.at(-1) ?? wanted;
}
