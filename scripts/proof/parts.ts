/** The parts of the proof report: one entry each. */
import { MUTATED_MODULES } from '../mutated-modules.ts';
import { latestResult, type ProofResult } from './result.ts';

/** As it is typed in a shell at the top of the repository. */
export interface Part {
  name: string;
  title: string;
  /** What it shows, in one sentence. */
  shows: string;
  /** Null where none is shorter than the long form. */
  short: string | null;
  long: string;
  read(): ProofResult | null;
}

const part = (one: Omit<Part, 'read'> & { read?: Part['read'] }): Part => ({
  read: () => latestResult(one.name),
  ...one,
});

const kills = (database: 'pglite' | 'postgres', name: string): Part =>
  part({
    name: `kills-${database}`,
    title: `Server killed, on ${name}`,
    shows:
      'SIGKILL with commands in flight: nothing acknowledged is lost, nothing is doubled, the ledger balances.',
    short: `KILLS=3 npm run test:kill-runs -- -t ${name}`,
    long: `KILLS=250 npm run test:kill-runs -- -t ${name}`,
  });

export const PARTS: readonly Part[] = [
  part({
    name: 'faults',
    title: 'Faults',
    shows:
      'Every listed fault, injected into a real run, has the outcome that docs/faults.md demands.',
    short: 'npm run test:faults',
    long: 'npm run test:faults',
  }),
  part({
    name: 'access',
    title: 'Access',
    shows:
      "Every call and hosted function refuses every bad token, another user's objects, unknown fields, and plans that do not include it.",
    short: 'npm run test:access',
    long: 'npm run test:access',
  }),
  part({
    name: 'fuzz',
    title: 'Hostile requests',
    shows:
      'No failure of the server, nothing of another user in any answer, no wait without end, and the books balance.',
    short: 'ATTACK_REQUESTS=5000 ATTACK_SEED=1 npm run test:attack',
    long: 'ATTACK_REQUESTS=1000000 ATTACK_SEED=1 ATTACK_SECONDS=14400 npm run test:attack',
  }),
  kills('pglite', 'PGlite'),
  kills('postgres', 'PostgreSQL'),
  part({
    name: 'kills-database',
    title: 'PostgreSQL killed',
    shows:
      'SIGKILL of PostgreSQL with commands in flight: nothing acknowledged is lost or doubled, and the server that lives on finds it again.',
    short: 'DATABASE_KILLS=3 npm run test:power-loss -- -t killed',
    long: 'DATABASE_KILLS=100 npm run test:power-loss -- -t killed',
  }),
  part({
    name: 'power-postgres',
    title: 'Power of PostgreSQL lost',
    shows:
      'The disk of PostgreSQL loses what was not synced, with commands in flight: nothing acknowledged is lost or doubled. With `synchronous_commit=off` the same test finds a loss.',
    short: "DATABASE_KILLS=3 npm run test:power-loss -- -t 'power'",
    long: "DATABASE_KILLS=100 npm run test:power-loss -- -t 'power'",
  }),
  part({
    name: 'live-seeds',
    title: 'Live trading before an exchange that lies',
    shows:
      'Seeded runs with faults of the exchange and killed processes, judged by the journal of the exchange.',
    short: 'npm run test:live -- --runs 30',
    long: 'npm run test:live -- --runs 30000 --workers 3 --database postgres',
  }),
  part({
    name: 'live-kills',
    title: 'Server and signer killed while they trade',
    shows:
      'SIGKILL before every commit, write and send of the server and of the signer, one after the other, judged by the journal of the exchange.',
    short: 'npm run test:live-kills -- --every 60',
    long: 'npm run test:live-kills -- --every 2',
  }),
  part({
    name: 'live-attacks',
    title: 'Attacks on live trading',
    shows:
      'Attempts at every call about agents and money: none makes an agent on paper, or one that nobody confirmed, ask the signer for an order.',
    short: 'LIVE_ATTACKS=300 npx vitest run tests/server/live/attacks.test.ts',
    long: 'npm run test:live-attacks',
  }),
  part({
    name: 'long-run',
    title: 'A long run',
    shows:
      'Fifty agents and a phone whose network comes and goes: memory stays flat, device, server and ledger agree, and a phone that is put away asks for nothing.',
    short: 'LONG_RUN_HOURS=0.4 npm run test:long-run',
    long: 'npm run test:long-run',
  }),
  ...Object.keys(MUTATED_MODULES).map((module) =>
    part({
      name: `mutation-${module}`,
      title: `Mutations: ${module}`,
      shows: 'How many deliberate errors the tests of the module find; at least 90 % is wanted.',
      short: module === 'tokens' ? 'npm run test:mutations -- tokens' : null,
      long: `npm run test:mutations -- ${module}`,
    }),
  ),
  part({
    name: 'backup',
    title: 'Backup and restore',
    shows:
      'A copy of the data, put back, is the same data, of one moment, and broken ones are refused.',
    short: 'npm run test:backup',
    long: 'npm run test:backup',
  }),
  part({
    name: 'bench',
    title: 'Speed and size',
    shows: 'Measured figures. They judge nothing.',
    short: 'npm run bench',
    long: 'npm run bench',
  }),
];
