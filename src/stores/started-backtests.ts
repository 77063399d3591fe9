/** Remembers which settings were backtested on this page, for a start that may follow. */
import type { AgentPreviewBody } from '../../contract/preview.ts';
import type { Tested } from '../../contract/backtest-record.ts';

const KEPT = 20;
const done = new Map<string, Tested>();

/** `version`: of the agent's settings; backtests of other versions do not match. */
const keyOf = (ask: AgentPreviewBody, version: number): string =>
  JSON.stringify([ask.agentId ?? null, ask.terms ?? null, version]);

export function recordBacktest(ask: AgentPreviewBody, version: number, tested: Tested): void {
  const key = keyOf(ask, version);
  done.delete(key);
  done.set(key, tested);
  for (const oldest of done.keys()) {
    if (done.size <= KEPT) break;
    done.delete(oldest);
  }
}

/** The newest backtest of exactly these settings, as a part of a request's body. */
export function backtestRecord(ask: AgentPreviewBody | null, version = 0): { tested?: Tested } {
  const tested = ask === null ? undefined : done.get(keyOf(ask, version));
  return tested === undefined ? {} : { tested };
}

export function clearBacktestRecord(): void {
  done.clear();
}
