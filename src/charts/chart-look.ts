/** The colours and settings of a price chart, from the page's tokens. */
import {
  ColorType,
  CrosshairMode,
  LineStyle,
  TickMarkType,
  TrackingModeExitMode,
  type Time,
} from 'lightweight-charts';
import { formatClock, formatDate, formatWhen } from '../format/times.ts';
import { colour } from './canvas-colour.ts';
import { LINE_TONES, type Dash } from './line-tones.ts';

const DASHES: Readonly<Record<Dash, LineStyle>> = {
  solid: LineStyle.Solid,
  dashed: LineStyle.LargeDashed,
  dotted: LineStyle.Dotted,
};

/** The dash of the nth line. */
export const dashOf = (place: number): LineStyle => DASHES[LINE_TONES[place]?.dash ?? 'solid'];

export function palette() {
  return {
    text: colour('--ink-3'),
    ink: colour('--ink'),
    inkSoft: colour('--ink-2'),
    ground: colour('--ground'),
    line: colour('--line'),
    fill: colour('--accent'),
    onFill: colour('--accent-ink'),
    up: colour('--gain'),
    down: colour('--loss'),
    upVolume: colour('--gain', 0.28),
    downVolume: colour('--loss', 0.28),
    lines: LINE_TONES.map(({ token }) => colour(token)),
  };
}

export type Tones = ReturnType<typeof palette>;

/** Local time on the axis: the date where a day begins, which may be after midnight; else the clock. */
function axisText(time: Time, kind: TickMarkType): string {
  const at = Number(time) * 1_000;
  return kind <= TickMarkType.DayOfMonth
    ? formatDate(at).replace(/[, ]*\d{4}$/, '')
    : formatClock(at);
}

/** `top`: share of the height reserved for the legend. */
export function chartOptions(
  tones: Tones,
  { daily, volume, top }: { daily: boolean; volume: boolean; top: number },
) {
  const line = { color: tones.text, style: LineStyle.Dashed, labelBackgroundColor: tones.inkSoft };
  return {
    layout: {
      background: { type: ColorType.Solid, color: 'transparent' },
      textColor: tones.text,
      fontSize: 11,
      attributionLogo: false,
      panes: { separatorColor: tones.line, separatorHoverColor: tones.line, enableResize: false },
    },
    rightPriceScale: {
      borderVisible: false,
      entireTextOnly: true,
      // Volume below the candles, legend above.
      scaleMargins: { top, bottom: volume ? 0.24 : 0.1 },
    },
    timeScale: {
      borderVisible: false,
      timeVisible: !daily,
      secondsVisible: false,
      ...(daily ? {} : { tickMarkFormatter: axisText }),
    },
    crosshair: { mode: CrosshairMode.Normal, vertLine: line, horzLine: line },
    // A resting finger reads candles until it is lifted; then the page scrolls again.
    trackingMode: { exitMode: TrackingModeExitMode.OnTouchEnd },
  };
}

/** The cross-hair's label on the time axis. */
export function crosshairText(daily: boolean): (time: Time) => string {
  return (time) => {
    const at = Number(time) * 1_000;
    return daily ? new Date(at).toISOString().slice(0, 10) : formatWhen(at);
  };
}

/** The step of the price axis: five significant figures. */
export function leastMove(price: number): number {
  return price > 0 ? 10 ** Math.max(-12, Math.floor(Math.log10(price)) - 4) : 0.01;
}
