/** What moved on a page without being pressed, and from where to where. */
import type { BrowserContext, Page } from 'playwright-core';

export interface Shifts {
  /** The sum that browsers call cumulative layout shift. */
  total: number;
  /** Each element that moved, for the reader of a failure. */
  moved: string[];
}

/** Counts in every page of the context from now on. */
export const watchShifts = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    const shifts: Shifts = { total: 0, moved: [] };
    Object.assign(window, { shifts });
    interface Shift extends PerformanceEntry {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
    }
    const place = ({ x, y, width, height }: DOMRect): string => `${x},${y} ${width}×${height}`;
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value, sources, startTime } of list.getEntries() as Shift[]) {
        if (hadRecentInput) continue;
        shifts.total += value;
        for (const { node, previousRect, currentRect } of sources) {
          const what = node instanceof Element ? node.outerHTML : (node?.textContent ?? 'gone');
          shifts.moved.push(
            `${what.slice(0, 120)} from ${place(previousRect)} to ${place(currentRect)} at ${Math.round(startTime)} ms`,
          );
        }
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** Since the page was opened. */
export const shiftsOf = (page: Page): Promise<Shifts> =>
  page.evaluate(() => (window as unknown as { shifts: Shifts }).shifts);
