/**
 * The real server with its identity emulator, a victim with a mark in every text, and attackers of
 * several plans with accounts of their own.
 */
import { ExportRows } from '../../../contract/account.ts';
import type { Database } from '../../../server/db/database.ts';
import { openPglite } from '../../../server/db/pglite.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import {
  callApi,
  createUser,
  refreshIdToken,
  startServer,
  type TestServer,
  type TestUser,
} from '../server.ts';
import { buyPlan } from '../sign-in.ts';
import { silentLog } from '../app.ts';
import { startPostgres, type TestPostgres } from '../postgres.ts';
import { samplesOf, TARGETS } from './contract-samples.ts';
import type { Attacker, World } from './attack-requests.ts';
import { newCanary, plantVictim, type Victim } from './victim.ts';

const ATTACKERS = 12;
const SAMPLES_OF_EACH = 150;

/**
 * In this world there is no signer and no chain, and an emulator that starves on a busy machine:
 * what needs one says so, with a time to come back.
 */
export const OUTSIDE = ['signer_unavailable', 'chain_unavailable', 'identity_unavailable'];
const STARVED = /The identity provider is unavailable|the identity provider rejected/;

export interface AttackWorld {
  server: TestServer;
  victim: Victim;
  world: World;
  /** One whose session has ended makes room for a new one. */
  replace(token: string): void;
  /** Tiers that attackers have and were never given. */
  stolenPlans(): Promise<string[]>;
  /** What of the victim is another now; empty where nothing is. */
  changesOfVictim(): Promise<string[]>;
  errorsLogged(): string[];
  /** Ends the server, and answers what its ledger is wrong about. */
  endAndCheckLedger(): Promise<string[]>;
  close(): Promise<void>;
}

interface Known extends Attacker {
  /** Plans that they may come to by themselves. */
  mayHave: readonly string[];
}

/** A third have nothing, a third a trial, a third the plan with most rights. */
async function newAttacker(url: string, nth: number, victimIds: readonly string[]): Promise<Known> {
  const user = await createUser(url);
  const token = user.idToken;
  if (nth % 3 === 1) await callApi(url, token, 'trialStart', { body: { userId: user.uid } });
  if (nth % 3 === 2) await buyPlan(url, user, 'pro-max');
  const ids: string[] = [...victimIds];
  if (nth % 3 !== 0)
    for (const name of ['One', 'Two'])
      ids.push(
        (
          await callApi(url, token, 'createAgent', {
            body: {
              name,
              trading_pairs: ['BTC/USDT'],
              risk_profile: 'Aggressive',
              max_position_size: 500,
              execution_interval: '5-minute',
              enabled: true,
            },
          })
        ).agent.id,
      );
  return {
    uid: user.uid,
    token,
    ids,
    mayHave: nth % 3 === 2 ? ['pro-max', 'free'] : ['free', 'trial'],
  };
}

/**
 * An export without what the server writes down by itself: how far it has looked back for an alert,
 * and what it works out from the marks of an account at the close of a candle.
 */
const asKept = (text: string): string =>
  text
    .replace(/^drawdowns .*$/gm, 'drawdowns')
    .replace(/^alerts (.*)$/gm, (_line, page: string) => {
      const { columns, rows } = ExportRows.parse(JSON.parse(page));
      const own = columns.indexOf('unseenSince');
      return `alerts ${JSON.stringify({ columns, rows: rows.map((row) => row.filter((_, at) => at !== own)) })}`;
    });

/** Lines of these two texts that are not in both. */
function differences(before: string, after: string): string[] {
  if (before === after) return [];
  const [was, is] = [before.split('\n'), after.split('\n')];
  const gone = was.filter((line) => !is.includes(line)).map((line) => `- ${line.slice(0, 1_500)}`);
  const come = is.filter((line) => !was.includes(line)).map((line) => `+ ${line.slice(0, 1_500)}`);
  return [...gone, ...come];
}

async function plant(server: TestServer): Promise<{ user: TestUser; victim: Victim }> {
  const canary = newCanary();
  const user = await createUser(server.url, `${canary}@example.com`);
  await buyPlan(server.url, user, 'standard');
  return {
    user,
    victim: await plantVictim(server.url, { uid: user.uid, token: user.idToken, canary }),
  };
}

export type DatabaseKind = 'pglite' | 'postgres';

/** What is lost with the machine is not what an attack is about: without fsync. */
async function postgresFor(kind: DatabaseKind): Promise<TestPostgres | null> {
  if (kind === 'pglite') return null;
  const postgres = await startPostgres(['fsync=off', 'synchronous_commit=off']);
  if (postgres === null) throw new Error('This machine has no PostgreSQL');
  return postgres;
}

export async function openAttackWorld(seed: number, kind: DatabaseKind): Promise<AttackWorld> {
  const postgres = await postgresFor(kind);
  const url = postgres?.fresh('attacked');
  const server = await startServer({
    env: {
      ...(url === undefined ? {} : { DATABASE_URL: url }),
      RATE_LIMIT_USER_PER_SECOND: '1000000',
      RATE_LIMIT_IP_PER_SECOND: '1000000',
      ACCOUNT_CHECK_SECONDS: '3600',
      METRICS: 'true',
    },
  });
  const { user, victim } = await plant(server);
  const before = await victim.keptNow(user.idToken);
  if (!before.includes(victim.canary)) throw new Error('The mark is not in the export');
  const attackers: Known[] = [];
  const everyone: Known[] = [];
  const add = async (nth: number): Promise<Known> => {
    const one = await newAttacker(server.url, nth, victim.ids);
    everyone.push(one);
    return one;
  };
  for (let nth = 0; nth < ATTACKERS; nth += 1) attackers.push(await add(nth));
  const replacing = new Set<string>();
  return {
    server,
    victim,
    world: {
      port: server.port,
      samples: TARGETS.map((target) => samplesOf(target, seed, SAMPLES_OF_EACH)),
      attackers,
    },
    replace: (token) => {
      const at = attackers.findIndex((one) => one.token === token);
      if (at < 0 || replacing.has(token)) return;
      replacing.add(token);
      void add(at)
        .then((one) => {
          attackers[at] = one;
        })
        .catch(() => undefined)
        .finally(() => replacing.delete(token));
    },
    stolenPlans: async () => {
      const stolen: string[] = [];
      for (const { token, mayHave } of everyone) {
        const tier = await callApi(server.url, token, 'usage').then(
          (usage) => usage.tier,
          () => null,
        );
        if (tier !== null && !mayHave.includes(tier))
          stolen.push(`${tier}, allowed ${mayHave.join(', ')}`);
      }
      return stolen;
    },
    changesOfVictim: async () =>
      differences(
        asKept(before),
        asKept(await victim.keptNow(await refreshIdToken(server.url, user.refreshToken))),
      ),
    errorsLogged: () =>
      server
        .logs()
        .split('\n')
        .filter((line) => /"level":(50|60)|Unhandled|uncaught/i.test(line) && !STARVED.test(line)),
    endAndCheckLedger: async () => {
      await server.kill9();
      const database: Database =
        url === undefined
          ? await openPglite(server.dataDir)
          : await openPostgres(url, { poolMax: 4, log: silentLog });
      const { problems } = await checkLedger(database.db);
      await database.close();
      return problems;
    },
    close: async () => {
      await server.stop();
      postgres?.stop();
    },
  };
}
