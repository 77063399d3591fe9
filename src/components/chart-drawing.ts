/** Draws with lightweight-charts in the colours of the page; loaded on demand. */
import {
  AreaSeries,
  ColorType,
  createChart,
  LineSeries,
  LineStyle,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from 'lightweight-charts';
import { formatAmount } from '../format/numbers.ts';

/** A line to compare: its name, points and style. */
/** `alike`: in the style of the first, because both are one thing, such as the limits of a band. */
export interface ComparedLine {
  name: string;
  points: readonly (readonly [number, string])[];
  alike?: boolean;
}
/** Dash and colour of each compared line: as many as can be told apart. */
const COMPARED_STYLES = [
  { token: '--ink-3', dash: LineStyle.Dashed },
  { token: '--amber', dash: LineStyle.Solid },
  { token: '--blue', dash: LineStyle.SparseDotted },
  { token: '--red', dash: LineStyle.LargeDashed },
  { token: '--green', dash: LineStyle.Dotted },
  { token: '--orange', dash: LineStyle.Solid },
] as const;

interface ChartData {
  line: readonly (readonly [number, string])[];
  /** Spacing of points on the axis, ms: points further apart in time are drawn further apart. */
  stepMs?: number | undefined;
  compared: readonly ComparedLine[];
}

export interface ChartHandle {
  set(data: ChartData): void;
  /** Moves the cross-hair to a time (ms) and value, or hides it. */
  point(at: { at: number; value: string } | null): void;
  close(): void;
}

let pen: CanvasRenderingContext2D | null | undefined;

/** One pixel for all colours: each canvas costs a phone a millisecond. */
function onePixel(): CanvasRenderingContext2D | null {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  return canvas.getContext('2d', { willReadFrequently: true });
}

/** A token as computed by the browser: the library knows rgb, not OKLCH. */
export function colour(name: string, alpha = 1): string {
  pen ??= onePixel();
  if (pen === null) return 'gray';
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  pen.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = pen.getImageData(0, 0, 1, 1).data;
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

export const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1_000) as UTCTimestamp;

/** Ascending and without duplicates, as the library demands; the last of a second wins. */
export function ordered<T extends { time: UTCTimestamp }>(points: T[]): T[] {
  const bySecond = new Map<number, T>();
  for (const point of points) bySecond.set(point.time, point);
  return [...bySecond.values()].sort((a, b) => a.time - b.time);
}

/** The library gives every point the same width: empty points keep the axis true to time. */
function spaced(
  points: readonly (readonly [number, string])[],
  stepMs: number | undefined,
): ({ time: UTCTimestamp; value: number } | { time: UTCTimestamp })[] {
  return ordered(
    points.flatMap(([at, value], index) => {
      const point = { time: seconds(at), value: Number(value) };
      const before = points[index - 1]?.[0];
      if (stepMs === undefined || before === undefined) return [point];
      const empty = Array.from(
        { length: Math.max(0, Math.round((at - before) / stepMs) - 1) },
        (_, step) => ({ time: seconds(before + (step + 1) * stepMs) }),
      );
      return [...empty, point];
    }),
  );
}

function palette() {
  return {
    text: colour('--ink-3'),
    line: colour('--line'),
    accent: colour('--accent'),
    fade: colour('--accent', 0.13),
    none: colour('--accent', 0),
  };
}

type Tones = ReturnType<typeof palette>;

const chartOptions = (tones: Tones) => ({
  layout: {
    background: { type: ColorType.Solid, color: 'transparent' },
    textColor: tones.text,
    fontSize: 11,
    attributionLogo: false,
  },
  rightPriceScale: {
    borderVisible: false,
    entireTextOnly: true,
    scaleMargins: { top: 0.06, bottom: 0.08 },
  },
  timeScale: { borderVisible: false, timeVisible: true, secondsVisible: false },
  crosshair: {
    vertLine: { color: tones.text, style: LineStyle.Solid, labelVisible: false },
    horzLine: { color: tones.text, style: LineStyle.Dotted, labelVisible: true },
  },
});

/** Options of every series: no line and no label of the last price. */
const QUIET = { lineWidth: 1, priceLineVisible: false, lastValueVisible: false } as const;

function createArea(host: HTMLElement, tones: Tones) {
  const chart = createChart(host, {
    autoSize: true,
    ...chartOptions(tones),
    grid: { vertLines: { visible: false }, horzLines: { visible: false } },
    handleScroll: false,
    handleScale: false,
    localization: { priceFormatter: (value: number) => formatAmount(plain(value)) },
  });
  const area = chart.addSeries(AreaSeries, { ...QUIET, crosshairMarkerRadius: 3 });
  return { chart, area };
}

/** Runs `paint` whenever the colours of the page change, until stopped. */
function watchColours(paint: () => void): () => void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', paint);
  const watcher = new MutationObserver(paint);
  watcher.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-gain'] });
  return () => {
    scheme.removeEventListener('change', paint);
    watcher.disconnect();
  };
}

/** The compared lines, each in its own style. */
function comparedSeries(chart: IChartApi) {
  const beside: ISeriesApi<'Line'>[] = [];
  let styles: readonly number[] = [];

  return {
    paint(): void {
      beside.forEach((line, index) => {
        const style = COMPARED_STYLES[(styles[index] ?? index) % COMPARED_STYLES.length];
        if (style !== undefined)
          line.applyOptions({ color: colour(style.token), lineStyle: style.dash });
      });
    },
    /** Whether lines were added or removed, so that colours must be set. */
    fit(compared: readonly ComparedLine[]): boolean {
      const wanted = compared.map(({ alike }, index) => (alike === true ? 0 : index));
      if (beside.length === compared.length && wanted.join() === styles.join()) return false;
      styles = wanted;
      for (const one of beside.splice(0)) chart.removeSeries(one);
      while (beside.length < compared.length)
        beside.push(chart.addSeries(LineSeries, { ...QUIET, crosshairMarkerVisible: false }));
      return true;
    },
    setData(compared: readonly ComparedLine[], stepMs: number | undefined): void {
      compared.forEach(({ points }, index) => {
        beside[index]?.setData(spaced(points, stepMs));
      });
    },
  };
}

export function drawChart(
  host: HTMLElement,
  { onRead }: { onRead: (read: { at: number; text: string } | null) => void },
): ChartHandle {
  const tones = palette();
  const { chart, area } = createArea(host, tones);
  const beside = comparedSeries(chart);

  const paintArea = (tones: Tones): void => {
    area.applyOptions({ lineColor: tones.accent, topColor: tones.fade, bottomColor: tones.none });
  };
  const paint = (): void => {
    const present = palette();
    chart.applyOptions(chartOptions(present));
    paintArea(present);
    beside.paint();
  };
  paintArea(tones);
  const unwatch = watchColours(paint);

  chart.subscribeCrosshairMove((move) => {
    const point = move.time === undefined ? undefined : move.seriesData.get(area);
    if (point === undefined) {
      onRead(null);
      return;
    }
    const value: unknown = 'value' in point ? point.value : null;
    onRead(
      typeof value !== 'number'
        ? null
        : { at: Number(move.time) * 1_000, text: formatAmount(plain(value)) },
    );
  });

  return {
    set({ line, stepMs, compared }) {
      if (beside.fit(compared)) paint();
      beside.setData(compared, stepMs);
      area.setData(spaced(line, stepMs));
      chart.timeScale().fitContent();
    },
    point(to) {
      if (to === null) chart.clearCrosshairPosition();
      else chart.setCrosshairPosition(Number(to.value), seconds(to.at), area);
    },
    close() {
      unwatch();
      chart.remove();
    },
  };
}

/** A float of a chart as plain decimal text, never with an exponent. */
export function plain(value: number): string {
  return value.toFixed(Math.abs(value) < 1 ? 10 : 4);
}
