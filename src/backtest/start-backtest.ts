/** Runs a test in a worker of its own, with a way to end it. */
import type { Tested } from '../../contract/backtest-record.ts';
import type { BacktestOrder, BacktestOutcome, BacktestWord } from './worker-messages.ts';

/** @throws DOMException `AbortError` where `signal` ended it. */
export function runTest(
  order: BacktestOrder,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<{ outcome: BacktestOutcome; tested: Tested }> {
  const worker = new Worker(new URL('./backtest-worker.ts', import.meta.url), { type: 'module' });
  const end = (): void => {
    worker.terminate();
  };
  return new Promise<{ outcome: BacktestOutcome; tested: Tested }>((resolve, reject) => {
    const aborted = (): void => {
      reject(new DOMException('The test was ended', 'AbortError'));
    };
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    worker.onmessage = ({ data }: MessageEvent<BacktestWord>) => {
      if (data.kind === 'progress') onProgress(data.share);
      else if (data.kind === 'done') resolve(data);
      else reject(new Error(data.message));
    };
    worker.onerror = (event) => {
      reject(new Error(event.message === '' ? 'The test could not be started' : event.message));
    };
    worker.postMessage(order);
  }).finally(end);
}
