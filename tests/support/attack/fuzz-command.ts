/**
 * `npm run test:attack`: hostile requests against the real server, by default a few thousand;
 * `ATTACK_REQUESTS=1000000`, `ATTACK_SECONDS` and `ATTACK_SEED` say how many, how long and which.
 */
import { attack, saidOf } from './attack.ts';

const requests = Number(process.env.ATTACK_REQUESTS ?? 20_000);
const seconds = Number(process.env.ATTACK_SECONDS ?? 3_600);
const seed = Number(process.env.ATTACK_SEED ?? Date.now() % 1_000_000);
process.stdout.write(`Seed ${seed}\n`);
const verdict = await attack({
  requests,
  seconds,
  seed,
  say: (text) => process.stdout.write(`${text}\n`),
});
process.stdout.write(`${saidOf(verdict)}\n`);
process.exitCode = verdict.wrong.length === 0 ? 0 : 1;
