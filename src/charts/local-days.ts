/** Divides the time axis of a price chart by the reader's own days and hours. */
import { defaultHorzScaleBehavior, type IHorzScaleBehavior, type Time } from 'lightweight-charts';

type Points = Parameters<IHorzScaleBehavior<Time>['fillWeightsForPoints']>[0];

/**
 * The library weighs a tick by the hours and days of UTC. Outside UTC the first candle of a day
 * would weigh no more than others, and weeks could pass without a date. Only the weights are of
 * local times: the times themselves stay as they are.
 */
export class LocalDays extends defaultHorzScaleBehavior() {
  override fillWeightsForPoints(points: Points, startIndex: number): void {
    // A point is weighed against the one before it.
    const from = Math.max(0, startIndex - 1);
    const local = points.slice(from).map((point) => {
      const at = Number(this.key(point.time));
      const behind = new Date(at * 1_000).getTimezoneOffset() * 60;
      return { ...point, time: this.convertHorzItemToInternal((at - behind) as Time) };
    });
    super.fillWeightsForPoints(local, startIndex - from);
    local.forEach(({ timeWeight }, index) => {
      const point = points[from + index];
      if (point !== undefined) point.timeWeight = timeWeight;
    });
  }
}
