/**
 * `npm run test:attack`: hostile requests against the real server, by default twenty thousand.
 * `ATTACK_REQUESTS=1000000`, `ATTACK_SECONDS`, `ATTACK_SEED` and `ATTACK_DATABASE=postgres` say how
 * many, for how long, which, and on what.
 */
import { beginProof, keepResult } from '../../../scripts/proof/result.ts';
import { attack, saidOf } from './attack.ts';
import { TARGETS } from './contract-samples.ts';

const requests = Number(process.env.ATTACK_REQUESTS ?? 20_000);
const seconds = Number(process.env.ATTACK_SECONDS ?? 3_600);
const seed = Number(process.env.ATTACK_SEED ?? Date.now() % 1_000_000);
const database = process.env.ATTACK_DATABASE === 'postgres' ? 'postgres' : 'pglite';
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

say(`Seed ${seed}`);
beginProof('fuzz');
const verdict = await attack({ requests, seconds, seed, database, say });
say(saidOf(verdict));
const { tally, wrong } = verdict;
/** What was wrong by its kind, which each line begins with. */
const kinds = new Map<string, number>();
for (const line of wrong) {
  const kind = line.split(':', 1)[0] ?? line;
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
}
keepResult({
  part: 'fuzz',
  command: `ATTACK_REQUESTS=${requests} ATTACK_SEED=${seed} npm run test:attack`,
  ok: wrong.length === 0,
  seed,
  seconds: tally.seconds,
  figures: {
    'requests answered': tally.answered,
    'asked for': requests,
    'a second': Math.round(tally.answered / tally.seconds),
    'answered 5xx': Object.entries(tally.byStatus)
      .filter(([status]) => Number(status) >= 500 && status !== '503')
      .reduce((sum, [, count]) => sum + count, 0),
    'limited or busy': tally.limited + tally.busy,
    'without an outside party': tally.outside,
    'cut off behind a refused frame or body': tally.unanswered,
    'calls and functions answered 2xx': `${tally.reached.size} of ${TARGETS.length}`,
    'slowest answer, ms': tally.slowestMs,
    'server memory at the end, MiB': verdict.residentMiB,
    'things wrong': wrong.length,
    database,
  },
  rows: [['Wrong', 'Times'], ...kinds],
});
process.exitCode = wrong.length === 0 ? 0 : 1;
