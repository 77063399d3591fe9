/** The parts of the proof report: one entry each. */
import { latestResult, type ProofResult } from './result.ts';

/** As it is typed in a shell at the top of the repository. */
export interface Part {
  name: string;
  title: string;
  /** What it shows, in one sentence. */
  shows: string;
  /** Null where no command makes it yet. */
  short: string | null;
  long: string | null;
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
    name: 'live-seeds',
    title: 'Live trading before an exchange that lies',
    shows:
      'Seeded runs with faults of the exchange and killed processes, judged by the journal of the exchange.',
    short: 'npm run test:live -- --runs 30',
    long: 'npm run test:live -- --runs 3000 --workers 2',
  }),
  part({
    name: 'mutation',
    title: 'Mutations',
    shows: 'How many deliberate errors the tests of each module find; at least 90 % is wanted.',
    short: 'npm run test:mutations -- tokens',
    long: 'npm run test:mutations',
  }),
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
