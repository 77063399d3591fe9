/**
 * Reads a trace of Chromium: frames of a page's main thread, the gaps between them, and how busy it
 * was.
 */
import type { CDPSession, Page } from 'playwright-core';
import * as z from 'zod';

const Event = z.object({
  name: z.string(),
  ph: z.string(),
  pid: z.number(),
  tid: z.number(),
  ts: z.optional(z.number()),
  dur: z.optional(z.number()),
  tdur: z.optional(z.number()),
  args: z.optional(z.record(z.string(), z.unknown())),
});
type Event = z.infer<typeof Event>;

export interface Trace {
  /** Time between one frame's work and the next, ms. */
  gaps: number[];
  /** Share of the time in which the main thread had a task, in [0, 1]. */
  busy: number;
  /**
   * The same by the processor time of the thread: what it would be on a machine that has nothing
   * else to do. Null where the system does not tell.
   */
  busyCpu: number | null;
}

/**
 * Top-level tasks of the thread; where a build of the browser has no name for them, nothing would
 * be measured and that is an error.
 */
const TASK = 'RunTask';
const FRAME = 'FireAnimationFrame';

/** The main thread that fired animation frames: the page's, because no other page is in sight. */
export function readTrace(events: readonly Event[]): Trace {
  const frames = events.filter((event) => event.name === FRAME && event.ts !== undefined);
  const counts = new Map<string, number>();
  for (const { pid, tid } of frames)
    counts.set(`${pid}:${tid}`, (counts.get(`${pid}:${tid}`) ?? 0) + 1);
  const [thread] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (thread === undefined) throw new Error('The trace has no frames');
  const mine = (event: Event): boolean => `${event.pid}:${event.tid}` === thread;
  // Several callbacks of one frame are fired within a millisecond of each other.
  const at = [...new Set(frames.filter(mine).map((event) => event.ts ?? 0))]
    .sort((a, b) => a - b)
    .filter((ts, index, all) => index === 0 || ts - (all[index - 1] ?? 0) > 2_000);
  const gaps = at.slice(1).map((ts, index) => (ts - (at[index] ?? 0)) / 1_000);
  const [first = 0, last = 0] = [at[0], at.at(-1)];
  const tasks = events.filter(
    (event) =>
      mine(event) &&
      event.name === TASK &&
      event.ph === 'X' &&
      (event.ts ?? 0) >= first &&
      (event.ts ?? 0) < last,
  );
  if (tasks.length === 0) throw new Error('The trace has no tasks of the main thread');
  const share = (time: (task: Event) => number | undefined): number =>
    tasks.reduce((sum, task) => sum + (time(task) ?? 0), 0) / (last - first);
  return {
    gaps,
    busy: share((task) => task.dur),
    busyCpu: tasks.some((task) => task.tdur !== undefined) ? share((task) => task.tdur) : null,
  };
}

/**
 * Traces the page while `work` goes on. A frame is asked for every time, so that a gap is a frame
 * that was late and not one that nobody wanted.
 */
export async function traced(page: Page, work: () => Promise<void>): Promise<Trace> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const events: Event[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...value.map((one) => Event.parse(one)));
  });
  await page.evaluate(
    'window.traced = true; (function frame() { if (window.traced) requestAnimationFrame(frame); })()',
  );
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
    },
  });
  await work();
  const complete = new Promise<void>((resolve) => {
    session.once('Tracing.tracingComplete', () => {
      resolve();
    });
  });
  await session.send('Tracing.end');
  await complete;
  await page.evaluate('window.traced = false');
  await session.detach();
  return readTrace(events);
}
