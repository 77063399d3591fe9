/** Draws entries and exits as letters in circles below and above their candles. */
import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time,
  UTCTimestamp,
} from 'lightweight-charts';
import { MARK_LETTER, type TradeSide } from './trade-marks.ts';

/** `price`: the end of the candle's wick where the mark is drawn. */
export interface PlacedMark {
  time: UTCTimestamp;
  side: TradeSide;
  count: number;
  price: number;
}

export interface MarkTones {
  fill: string;
  onFill: string;
  ground: string;
  ink: string;
}

const RADIUS = 8;
/** Distance from the end of the wick to the circle's centre. */
const AWAY = RADIUS + 5;

type Spot = { x: number; y: number; side: TradeSide; count: number };

export class TradeMarkDrawing implements ISeriesPrimitive<Time> {
  private chart: SeriesAttachedParameter<Time> | null = null;
  private marks: readonly PlacedMark[] = [];
  private tones: MarkTones = { fill: '', onFill: '', ground: '', ink: '' };
  private readonly renderer: IPrimitivePaneRenderer = {
    draw: (target) => {
      target.useMediaCoordinateSpace(({ context }) => {
        for (const spot of this.spots()) this.draw(context, spot);
      });
    },
  };
  private readonly views: readonly IPrimitivePaneView[] = [
    { zOrder: () => 'top', renderer: () => this.renderer },
  ];

  attached(chart: SeriesAttachedParameter<Time>): void {
    this.chart = chart;
  }

  detached(): void {
    this.chart = null;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.views;
  }

  set(marks: readonly PlacedMark[], tones: MarkTones): void {
    this.marks = marks;
    this.tones = tones;
    this.chart?.requestUpdate();
  }

  private spots(): Spot[] {
    const { chart } = this;
    if (chart === null) return [];
    return this.marks.flatMap(({ time, side, count, price }) => {
      const x = chart.chart.timeScale().timeToCoordinate(time);
      const y = chart.series.priceToCoordinate(price);
      if (x === null || y === null || x < 0) return [];
      return [{ x, y: y + (side === 'buy' ? AWAY : -AWAY), side, count }];
    });
  }

  /** Filled for an entry, outlined for an exit: distinguishable without colour. */
  private draw(context: CanvasRenderingContext2D, { x, y, side, count }: Spot): void {
    const { fill, onFill, ground, ink } = this.tones;
    const entry = side === 'buy';
    context.beginPath();
    context.arc(x, y, RADIUS, 0, 2 * Math.PI);
    context.fillStyle = entry ? fill : ground;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = entry ? ground : ink;
    context.stroke();
    context.font = '600 10px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = entry ? onFill : ink;
    context.fillText(MARK_LETTER[side], x, y + 0.5);
    if (count < 2) return;
    context.textAlign = 'left';
    context.fillStyle = ink;
    context.fillText(`×${count}`, x + RADIUS + 2, y + 0.5);
  }
}
