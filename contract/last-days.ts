/** The last days of an account, as a plan without the full depth shows them. */

const DAY_MS = 86_400_000;

/** Those of the last `count` days of the calendar. Days are oldest first; some may be missing. */
export function lastDays<Day extends { start: number }>(
  days: readonly Day[],
  count: number,
): Day[] {
  const from = (days.at(-1)?.start ?? 0) - (count - 1) * DAY_MS;
  return days.filter(({ start }) => start >= from);
}
