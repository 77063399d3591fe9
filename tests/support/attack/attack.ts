/** One attack from start to verdict: the world, the requests, and what is checked behind them. */
import { readFileSync } from 'node:fs';
import { openAttackWorld, OUTSIDE, type DatabaseKind } from './attack-world.ts';
import { runFuzz, type Tally } from './fuzz.ts';

export interface AttackVerdict {
  tally: Tally;
  /** Everything that must not be, in words. */
  wrong: string[];
  /** Of the server at the end. */
  residentMiB: number;
  serverCpuSeconds: number;
}

interface AttackOptions {
  requests: number;
  seconds: number;
  seed: number;
  database?: DatabaseKind;
  say?: (text: string) => void;
}

const SAY_EVERY_MS = 15_000;

const residentMiB = (pid: number): number =>
  Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024,
  );

const TICKS_A_SECOND = 100;
/** Of all its threads. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

export async function attack({
  requests,
  seconds,
  seed,
  database = 'pglite',
  say = () => undefined,
}: AttackOptions): Promise<AttackVerdict> {
  const opened = await openAttackWorld(seed, database);
  const { server, victim } = opened;
  let saidAt = Date.now();
  try {
    const tally = await runFuzz({
      world: opened.world,
      seed,
      requests,
      seconds,
      canary: victim.canary,
      outside: OUTSIDE,
      workedMs: () => 1_000 * cpuSeconds(server.pid),
      onLockedOut: (token) => {
        opened.replace(token);
      },
      onFinding: ({ kind, what, answer }) => {
        say(`found: ${kind}: ${what}\n    ${answer}`);
      },
      onProgress: (now) => {
        if (Date.now() - saidAt < SAY_EVERY_MS) return;
        saidAt = Date.now();
        say(`${now.answered} answered in ${Math.round(now.seconds)} s, ${now.found} findings`);
      },
    });
    const resident = residentMiB(server.pid);
    const cpu = cpuSeconds(server.pid);
    const wrong = [
      ...tally.findings.map(({ kind, what, answer }) => `${kind}: ${what}\n    ${answer}`),
      ...(await opened.changesOfVictim()).map((line) => `the victim's data changed: ${line}`),
      ...(await opened.stolenPlans()).map((line) => `a plan that was never bought: ${line}`),
      ...opened.errorsLogged().map((line) => `an error in the log: ${line.slice(0, 1_500)}`),
      ...(await opened.endAndCheckLedger()).map((line) => `the ledger: ${line}`),
    ];
    return { tally, wrong, residentMiB: resident, serverCpuSeconds: cpu };
  } finally {
    await opened.close();
  }
}

export function saidOf({
  tally,
  wrong,
  residentMiB: resident,
  serverCpuSeconds: cpu,
}: AttackVerdict): string {
  const { answered, sent, seconds, limited, busy, outside, unanswered, slowestMs } = tally;
  const statuses = Object.entries(tally.byStatus)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
  return [
    ...[...new Set(wrong)].slice(0, 60).map((line) => `WRONG ${line}`),
    `Seed ${tally.seed}: ${answered} answered of ${sent} sent in ${Math.round(seconds)} s (${Math.round(answered / seconds)} a second)`,
    `${limited} answered 429, ${busy} busy, ${outside} without an outside party, ${unanswered} cut off by the server`,
    statuses,
    `${tally.reached.size} calls answered 2xx, slowest answer ${slowestMs} ms, server at ${resident} MiB and ${Math.round(cpu)} s of processor time`,
    `${wrong.length} wrong`,
  ].join('\n');
}
