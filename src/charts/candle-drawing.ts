/**
 * Draws candles, volume, averages, RSI and trades with lightweight-charts. Loaded when a chart is
 * shown.
 */
import {
  CandlestickSeries,
  createChartEx,
  defaultHorzScaleBehavior,
  HistogramSeries,
  LineSeries,
  LineStyle,
  type IHorzScaleBehavior,
  type IPriceLine,
  type ISeriesApi,
  type LogicalRange,
  type MouseEventParams,
  type Time,
} from 'lightweight-charts';
import { plain } from '../components/line-geometry.ts';
import { ordered, seconds } from './chart-points.ts';
import { formatPrice } from '../format/numbers.ts';
import { chartOptions, crosshairText, dashOf, leastMove, palette } from './chart-look.ts';
import type { ChartCandle } from './chart-candles.ts';
import { LocalDays } from './local-days.ts';
import { TradeMarkDrawing } from './trade-mark-drawing.ts';
import type { TradeMark } from './trade-marks.ts';

/** A line over the candles: a value for each closed one and for the forming one. */
export interface DrawnLine {
  name: string;
  values: readonly (number | null)[];
  last: number | null;
}

export interface CandleData {
  closed: readonly ChartCandle[];
  forming: ChartCandle | null;
  lines: readonly DrawnLine[];
  rsi: DrawnLine | null;
  volume: boolean;
  marks: readonly TradeMark[];
}

export interface CandleHandle {
  set(data: CandleData): void;
  /** The last price as a line; null where unknown. */
  price(value: string | null): void;
  /** Moves the cross-hair to a candle, or hides it. */
  point(candle: ChartCandle | null): void;
  /** Zooms in (under 1) or out. */
  zoom(factor: number): void;
  close(): void;
}

export interface CandleDrawingOptions {
  daily: boolean;
  onRead: (at: number | null) => void;
  onEdge: () => void;
}

/** A look back in time. */
interface Place {
  /** The first visible candle. */
  first: Time;
  /** Its index as it was drawn. */
  index: number;
  range: LogicalRange;
}

/** Number of candles shown at first. */
const SHOWN = 120;
const SHOWN_NARROW = 60;
const NARROW_PX = 640;
/** With fewer candles left of the visible range, older ones are requested. */
const EDGE = 10;
const RSI_SHARE = 0.3;
/** Height of one row of legend values, px. */
const VALUES_ROW_PX = 17;
const RSI_LEVELS = [30, 70] as const;

const QUIET = {
  priceLineVisible: false,
  lastValueVisible: false,
  crosshairMarkerVisible: false,
} as const;

export function drawCandles(host: HTMLElement, options: CandleDrawingOptions): CandleHandle {
  const drawing = new CandleDrawing(host, options);
  return {
    set: (data) => {
      drawing.set(data);
    },
    price: (value) => {
      drawing.price(value);
    },
    point: (candle) => {
      drawing.point(candle);
    },
    zoom: (factor) => {
      drawing.zoom(factor);
    },
    close: () => {
      drawing.close();
    },
  };
}

class CandleDrawing {
  private tones = palette();
  private readonly chart;
  private readonly bars: ISeriesApi<'Candlestick'>;
  private readonly trades = new TradeMarkDrawing();
  private readonly lines: ISeriesApi<'Line'>[] = [];
  private volume: ISeriesApi<'Histogram'> | null = null;
  private rsi: ISeriesApi<'Line'> | null = null;
  private now: IPriceLine | null = null;
  private held: CandleData = {
    closed: [],
    forming: null,
    lines: [],
    rsi: null,
    volume: false,
    marks: [],
  };
  private placed = false;
  private readonly scheme = matchMedia('(prefers-color-scheme: dark)');
  private readonly watcher = new MutationObserver(() => {
    this.paint();
  });
  private readonly repaint = (): void => {
    this.paint();
  };

  constructor(
    private readonly host: HTMLElement,
    private readonly options: CandleDrawingOptions,
  ) {
    const look = this.look();
    // A candle of a day is that of the UTC day.
    const Days = options.daily ? defaultHorzScaleBehavior() : LocalDays;
    this.chart = createChartEx<Time, IHorzScaleBehavior<Time>>(host, new Days(), {
      autoSize: true,
      ...look,
      // Set once: setting it again would scroll back to the newest candle.
      timeScale: { ...look.timeScale, rightOffset: 3 },
      grid: { vertLines: { visible: false }, horzLines: { visible: false } },
      // Wheel and vertical swipes scroll the page. A horizontal drag moves the candles, two fingers
      // zoom.
      handleScroll: {
        mouseWheel: false,
        pressedMouseMove: true,
        horzTouchDrag: true,
        vertTouchDrag: false,
      },
      handleScale: {
        mouseWheel: false,
        pinch: true,
        axisPressedMouseMove: { time: true, price: false },
        axisDoubleClickReset: true,
      },
      localization: { timeFormatter: crosshairText(options.daily) },
    });
    this.bars = this.chart.addSeries(CandlestickSeries, {
      borderVisible: false,
      priceLineVisible: false,
      lastValueVisible: false,
    });
    this.bars.attachPrimitive(this.trades);
    this.paint();
    this.scheme.addEventListener('change', this.repaint);
    this.watcher.observe(document.documentElement, {
      attributeFilter: ['data-theme', 'data-gain'],
    });
    this.chart.subscribeCrosshairMove((move: MouseEventParams) => {
      const outside = move.time === undefined || move.point === undefined;
      options.onRead(outside ? null : Number(move.time) * 1_000);
    });
    // Candles inserted before the first do not move the view: the library keeps it relative to the
    // newest.
    this.chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (this.placed && range !== null && range.from < EDGE) options.onEdge();
    });
  }

  set(data: CandleData): void {
    const before = this.held;
    this.held = data;
    const sameSeries =
      before.closed === data.closed &&
      before.volume === data.volume &&
      before.lines.length === data.lines.length &&
      (before.rsi === null) === (data.rsi === null) &&
      data.lines.every(({ values }, place) => before.lines[place]?.values === values) &&
      before.rsi?.values === data.rsi?.values &&
      before.forming?.[0] === data.forming?.[0];
    if (sameSeries) this.extend();
    else this.draw();
    this.setMarks();
    if (!this.placed) this.place();
  }

  /** Only the forming candle has changed. */
  private extend(): void {
    const { forming, lines, rsi } = this.held;
    if (forming === null) return;
    this.bars.update(barOf(forming));
    this.volume?.update(this.volumeOf(forming));
    lines.forEach(({ last }, place) => {
      if (last !== null) this.lines[place]?.update({ time: seconds(forming[0]), value: last });
    });
    if (rsi !== null && rsi.last !== null)
      this.rsi?.update({ time: seconds(forming[0]), value: rsi.last });
  }

  private draw(): void {
    const { closed, forming, lines, rsi } = this.held;
    const all = forming === null ? closed : [...closed, forming];
    const place = this.lookedAt();
    this.chart.applyOptions(this.look());
    this.bars.applyOptions({ priceFormat: priceFormat(Number(all.at(-1)?.[4] ?? 0)) });
    this.bars.setData(ordered(all.map(barOf)));
    this.setVolume(all);
    while (this.lines.length > lines.length) {
      const extra = this.lines.pop();
      if (extra !== undefined) this.chart.removeSeries(extra);
    }
    lines.forEach((line, place) => {
      const series =
        this.lines[place] ?? this.chart.addSeries(LineSeries, { lineWidth: 1, ...QUIET });
      this.lines[place] = series;
      series.applyOptions({
        color: this.tones.lines[place] ?? this.tones.text,
        lineStyle: dashOf(place),
      });
      series.setData(this.pointsOf(line));
    });
    this.setRsi(rsi);
    if (place !== null) this.lookAgain(place);
  }

  /** Where somebody looks who has gone back in time; null while the newest candle is visible. */
  private lookedAt(): Place | null {
    const scale = this.chart.timeScale();
    const range = this.placed ? scale.getVisibleLogicalRange() : null;
    const seen = range === null ? null : this.bars.barsInLogicalRange(range);
    if (range === null || seen?.from === undefined || seen.barsAfter < 1) return null;
    const index = scale.timeToIndex(seen.from);
    return index === null ? null : { first: seen.from, index, range };
  }

  /**
   * The library keeps the distance to the newest candle where the first one is another too: the
   * server's candles take the place of kept ones.
   */
  private lookAgain({ first, index, range }: Place): void {
    const scale = this.chart.timeScale();
    const now = scale.timeToIndex(first);
    const shown = scale.getVisibleLogicalRange();
    if (now === null || shown === null) return;
    const from = range.from + now - index;
    if (Math.abs(from - shown.from) > 0.01)
      scale.setVisibleLogicalRange({ from, to: range.to + now - index });
  }

  private look() {
    const { lines, rsi, volume } = this.held;
    const values = lines.length + (rsi === null ? 0 : 1);
    const { clientWidth, clientHeight } = this.host;
    const rows = Math.ceil(values / (clientWidth < NARROW_PX ? 2 : 5));
    const height = Math.max(1, clientHeight * (rsi === null ? 1 : 1 - RSI_SHARE));
    const top = Math.min(0.35, Math.max(0.05, (rows * VALUES_ROW_PX + 4) / height));
    return chartOptions(this.tones, { daily: this.options.daily, volume, top });
  }

  private pointsOf({ values, last }: DrawnLine) {
    const { closed, forming } = this.held;
    const points = closed.flatMap(([at], place) => {
      const value = values[place];
      return value == null ? [] : [{ time: seconds(at), value }];
    });
    if (forming !== null && last !== null) points.push({ time: seconds(forming[0]), value: last });
    return ordered(points);
  }

  private setVolume(all: readonly ChartCandle[]): void {
    if (!this.held.volume) {
      if (this.volume !== null) this.chart.removeSeries(this.volume);
      this.volume = null;
      return;
    }
    this.volume ??= this.chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      priceLineVisible: false,
      lastValueVisible: false,
    });
    this.chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
    this.volume.setData(ordered(all.map((candle) => this.volumeOf(candle))));
  }

  /** An empty bar where the volume is unknown. */
  private volumeOf([at, open, , , close, amount]: ChartCandle) {
    const time = seconds(at);
    if (amount === null) return { time };
    return {
      time,
      value: Number(amount),
      color: Number(close) >= Number(open) ? this.tones.upVolume : this.tones.downVolume,
    };
  }

  private setRsi(line: DrawnLine | null): void {
    if (line === null) {
      if (this.rsi !== null) this.chart.removeSeries(this.rsi);
      this.rsi = null;
      return;
    }
    if (this.rsi === null) {
      const range = { priceRange: { minValue: 0, maxValue: 100 } };
      const rsi = this.chart.addSeries(
        LineSeries,
        {
          lineWidth: 1,
          ...QUIET,
          autoscaleInfoProvider: () => range,
          priceFormat: {
            type: 'custom',
            minMove: 1,
            formatter: (value: number) => value.toFixed(0),
          },
        },
        1,
      );
      for (const price of RSI_LEVELS)
        rsi.createPriceLine({
          price,
          color: this.tones.text,
          lineWidth: 1,
          lineStyle: LineStyle.Dotted,
          axisLabelVisible: false,
          title: '',
        });
      rsi.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.08 } });
      const [main, pane] = this.chart.panes();
      main?.setStretchFactor(1 - RSI_SHARE);
      pane?.setStretchFactor(RSI_SHARE);
      this.rsi = rsi;
    }
    this.rsi.applyOptions({ color: this.tones.ink });
    this.rsi.setData(this.pointsOf(line));
  }

  private setMarks(): void {
    const { closed, forming, marks } = this.held;
    const candles = new Map<number, ChartCandle>();
    if (marks.length > 0) for (const candle of closed) candles.set(candle[0], candle);
    if (forming !== null) candles.set(forming[0], forming);
    const placed = marks.flatMap(({ time, side, count }) => {
      const candle = candles.get(time);
      return candle === undefined
        ? []
        : [{ time: seconds(time), side, count, price: Number(candle[side === 'buy' ? 3 : 2]) }];
    });
    const { fill, onFill, ground, ink } = this.tones;
    this.trades.set(placed, { fill, onFill, ground, ink });
  }

  private paint(): void {
    this.tones = palette();
    const { up, down, inkSoft } = this.tones;
    this.bars.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down });
    this.now?.applyOptions({ color: inkSoft, axisLabelColor: inkSoft });
    this.draw();
    this.setMarks();
  }

  private place(): void {
    const count = this.held.closed.length + (this.held.forming === null ? 0 : 1);
    if (count === 0) return;
    this.placed = true;
    const shown = this.host.clientWidth < NARROW_PX ? SHOWN_NARROW : SHOWN;
    this.chart
      .timeScale()
      .setVisibleLogicalRange({ from: Math.max(0, count - shown), to: count + 2 });
  }

  price(value: string | null): void {
    if (value === null) {
      if (this.now !== null) this.bars.removePriceLine(this.now);
      this.now = null;
      return;
    }
    const color = this.tones.inkSoft;
    const line = {
      price: Number(value),
      color,
      lineWidth: 1 as const,
      lineStyle: LineStyle.Dotted,
      axisLabelVisible: true,
      axisLabelColor: color,
      title: '',
    };
    if (this.now === null) this.now = this.bars.createPriceLine(line);
    else this.now.applyOptions(line);
  }

  point(candle: ChartCandle | null): void {
    if (candle === null) this.chart.clearCrosshairPosition();
    else this.chart.setCrosshairPosition(Number(candle[4]), seconds(candle[0]), this.bars);
  }

  zoom(factor: number): void {
    const scale = this.chart.timeScale();
    const range = scale.getVisibleLogicalRange();
    if (range === null) return;
    const half = Math.max(5, ((range.to - range.from) * factor) / 2);
    // The newest visible candle stays in place.
    scale.setVisibleLogicalRange({ from: range.to - 2 * half, to: range.to });
  }

  close(): void {
    this.scheme.removeEventListener('change', this.repaint);
    this.watcher.disconnect();
    this.chart.remove();
  }
}

const priceFormat = (price: number) => ({
  type: 'custom' as const,
  minMove: leastMove(price),
  formatter: (value: number) => formatPrice(plain(value)),
});

const barOf = ([at, open, high, low, close]: ChartCandle) => ({
  time: seconds(at),
  open: Number(open),
  high: Number(high),
  low: Number(low),
  close: Number(close),
});
