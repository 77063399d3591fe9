/** Candles with volume, averages and a person's own trades, drawn with lightweight-charts; loaded on demand, refuses to hold a vertical swipe. */
import {
  CandlestickSeries, ColorType, createChart, createSeriesMarkers, HistogramSeries, LineSeries, LineStyle,
  type IPriceLine, type ISeriesApi, type MouseEventParams, type Time,
} from 'lightweight-charts';
import type { CandleRow } from '../../contract/market.ts';
import { formatPrice } from '../format/numbers.ts';
import { formatClock, formatDate } from '../format/times.ts';
import { colour, ordered, plain, seconds, type ChartMark } from './chart-drawing.ts';

export interface DrawnAverage { period: number; values: readonly (number | null)[] }

export interface CandleData {
  candles: readonly CandleRow[];
  averages: readonly DrawnAverage[];
  marks: readonly ChartMark[];
}

export interface CandleHandle {
  set(data: CandleData): void;
  /** The price of this moment, as a line; null where none is known. */
  price(value: string | null): void;
  /** Puts the cross on a candle, or takes it away. */
  point(candle: CandleRow | null): void;
  /** Closer (under 1) or further. */
  zoom(factor: number): void;
  close(): void;
}

/** Candles that fill the width at first: as many as can be told apart. */
const SHOWN = 120;
const SHOWN_NARROW = 60;
const NARROW_PX = 640;
/** Candles left of what is seen, under which older ones are wanted. */
const EDGE = 10;
const AVERAGE_TONES = ['--accent', '--amber', '--ink-3'] as const;

function palette() {
  return {
    text: colour('--ink-3'), up: colour('--gain'), down: colour('--loss'), upVolume: colour('--gain', 0.28), downVolume: colour('--loss', 0.28),
    averages: AVERAGE_TONES.map((name) => colour(name)), price: colour('--ink-2'),
  };
}

type Tones = ReturnType<typeof palette>;

/** Local time on the axis: days at midnight, the clock between. */
const tick = (time: Time): string => {
  const at = Number(time) * 1_000;
  const clock = formatClock(at);
  return clock === '00:00' ? formatDate(at).replace(/[, ]*\d{4}$/, '') : clock;
};

const options = (tones: Tones, daily: boolean) => ({
  layout: { background: { type: ColorType.Solid, color: 'transparent' }, textColor: tones.text, fontSize: 11, attributionLogo: false },
  // Below the candles stands the volume.
  rightPriceScale: { borderVisible: false, entireTextOnly: true, scaleMargins: { top: 0.05, bottom: 0.24 } },
  timeScale: { borderVisible: false, timeVisible: !daily, secondsVisible: false, rightOffset: 3, ...(daily ? {} : { tickMarkFormatter: tick }) },
  crosshair: { vertLine: { color: tones.text, style: LineStyle.Solid, labelVisible: false }, horzLine: { color: tones.text, style: LineStyle.Dotted, labelVisible: true } },
});

export function drawCandles(host: HTMLElement, { daily, onRead, onEdge }: { daily: boolean; onRead: (at: number | null) => void; onEdge: () => void }): CandleHandle {
  let tones = palette();
  const chart = createChart(host, {
    autoSize: true, ...options(tones, daily),
    grid: { vertLines: { visible: false }, horzLines: { visible: false } },
    // A wheel and a vertical swipe belong to the page; a horizontal drag moves the candles, two fingers bring them closer.
    handleScroll: { mouseWheel: false, pressedMouseMove: true, horzTouchDrag: true, vertTouchDrag: false },
    handleScale: { mouseWheel: false, pinch: true, axisPressedMouseMove: { time: true, price: false }, axisDoubleClickReset: true },
    localization: { priceFormatter: (value: number) => formatPrice(plain(value)) },
  });
  const bars = chart.addSeries(CandlestickSeries, { borderVisible: false, priceLineVisible: false, lastValueVisible: false });
  const volume = chart.addSeries(HistogramSeries, { priceScaleId: 'volume', priceLineVisible: false, lastValueVisible: false, priceFormat: { type: 'volume' } });
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
  const markers = createSeriesMarkers(bars, []);
  const lines = new Map<number, ISeriesApi<'Line'>>();
  let now: IPriceLine | null = null;
  let held: CandleData = { candles: [], averages: [], marks: [] };

  function setAverages(): void {
    for (const [period, line] of lines) {
      if (held.averages.some((average) => average.period === period)) continue;
      chart.removeSeries(line);
      lines.delete(period);
    }
    held.averages.forEach(({ period, values }, index) => {
      const line = lines.get(period) ?? chart.addSeries(LineSeries, { lineWidth: 1, priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false });
      lines.set(period, line);
      line.applyOptions({ color: tones.averages[index] ?? tones.text });
      line.setData(ordered(held.candles.flatMap(([at], place) => { const value = values[place]; return value == null ? [] : [{ time: seconds(at), value }]; })));
    });
  }

  function draw(): void {
    bars.setData(ordered(held.candles.map(([at, open, high, low, close]) => ({ time: seconds(at), open: Number(open), high: Number(high), low: Number(low), close: Number(close) }))));
    volume.setData(ordered(held.candles.map(([at, open, , , close, amount]) => ({ time: seconds(at), value: Number(amount), color: Number(close) >= Number(open) ? tones.upVolume : tones.downVolume }))));
    setAverages();
    markers.setMarkers(held.marks.map((mark) => ({
      time: seconds(mark.at), position: mark.side === 'buy' ? 'belowBar' as const : 'aboveBar' as const,
      shape: mark.side === 'buy' ? 'arrowUp' as const : 'arrowDown' as const, color: mark.side === 'buy' ? tones.up : tones.down, text: mark.text,
    })));
  }

  function paint(): void {
    tones = palette();
    chart.applyOptions(options(tones, daily));
    bars.applyOptions({ upColor: tones.up, downColor: tones.down, wickUpColor: tones.up, wickDownColor: tones.down });
    now?.applyOptions({ color: tones.price, axisLabelColor: tones.price });
    draw();
  }
  paint();
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', paint);
  const watcher = new MutationObserver(paint);
  watcher.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-gain'] });
  chart.subscribeCrosshairMove((move: MouseEventParams) => { onRead(move.time === undefined || move.point === undefined ? null : Number(move.time) * 1_000); });

  // Candles that come before the first move nothing: the library holds on to the newest.
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => { if (placed && range !== null && range.from < EDGE) onEdge(); });

  let placed = false;
  return {
    set(data) {
      held = data;
      draw();
      if (placed || data.candles.length === 0) return;
      placed = true;
      const shown = host.clientWidth < NARROW_PX ? SHOWN_NARROW : SHOWN;
      chart.timeScale().setVisibleLogicalRange({ from: Math.max(0, data.candles.length - shown), to: data.candles.length + 2 });
    },
    price(value) {
      if (value === null) { if (now !== null) bars.removePriceLine(now); now = null; return; }
      const place = { price: Number(value), color: tones.price, lineWidth: 1 as const, lineStyle: LineStyle.Dotted, axisLabelVisible: true, axisLabelColor: tones.price, title: '' };
      if (now === null) now = bars.createPriceLine(place);
      else now.applyOptions(place);
    },
    point(candle) {
      if (candle === null) chart.clearCrosshairPosition();
      else chart.setCrosshairPosition(Number(candle[4]), seconds(candle[0]), bars);
    },
    zoom(factor) {
      const range = chart.timeScale().getVisibleLogicalRange();
      if (range === null) return;
      const half = Math.max(5, ((range.to - range.from) * factor) / 2);
      // The newest that is shown stays where it is.
      chart.timeScale().setVisibleLogicalRange({ from: range.to - 2 * half, to: range.to });
    },
    close() {
      scheme.removeEventListener('change', paint);
      watcher.disconnect();
      chart.remove();
    },
  };
}
