/** Logs memory use and web timings where the build enables it. */
import { MEMORY_CHECK_MS, MEMORY_WARN_RATIO } from '../../contract/limits.ts';
import { log } from './page-log.ts';
import { whileSeen } from './resting-timer.ts';

/** Chromium only; sizes in bytes. */
interface HeapSizes {
  usedJSHeapSize: number;
  jsHeapSizeLimit: number;
}

/** Warns above 80 percent of the heap's limit. Returns the share used, or null where unknown. */
export function checkMemory(memory: HeapSizes | undefined): number | null {
  if (memory === undefined || memory.jsHeapSizeLimit <= 0) return null;
  const share = memory.usedJSHeapSize / memory.jsHeapSizeLimit;
  if (share > MEMORY_WARN_RATIO)
    log.warn(`Memory: ${Math.round(share * 100)} percent of the heap is used`);
  return share;
}

const heap = (): HeapSizes | undefined =>
  (performance as Performance & { memory?: HeapSizes }).memory;

/**
 * Logs the timings that the browser supports: navigation, first paint, largest paint, layout
 * shifts, long tasks.
 */
function watchTimings(): void {
  for (const type of [
    'navigation',
    'paint',
    'largest-contentful-paint',
    'layout-shift',
    'longtask',
  ]) {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) continue;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        log.info(
          `Timing: ${entry.entryType} ${entry.name} ${Math.round(entry.startTime + entry.duration)} ms`,
        );
    }).observe({ type, buffered: true });
  }
}

/** Starts watching. Returns a function that stops the memory check. */
export function watchPerformance(readMemory: () => HeapSizes | undefined = heap): () => void {
  if (typeof PerformanceObserver !== 'undefined') watchTimings();
  return whileSeen(MEMORY_CHECK_MS, () => {
    checkMemory(readMemory());
  });
}
