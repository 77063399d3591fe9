/**
 * Every call and every hosted function of the contract, under every token that must not be taken,
 * with the objects of another user, and by a plan that does not include it.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXPORT_PARTS } from '../../contract/account.ts';
import { CALLS, SUBSCRIPTION_CALLS, tierPermitsCall, type CallName } from '../../contract/calls.ts';
import { ERROR_STATUS } from '../../contract/errors.ts';
import { Tier } from '../../contract/permission.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { users } from '../../server/db/schema.ts';
import { beginProof, keepResult } from '../../scripts/proof/result.ts';
import {
  OWN_UID,
  samplesOf,
  SOME_ID,
  TARGETS,
  wireBody,
  type Samples,
  type Target,
} from '../support/attack/contract-samples.ts';
import { badCredentials, type Credential } from '../support/attack/credentials.ts';
import { MASS_FIELDS } from '../support/attack/hostile-values.ts';
import { newCanary, plantVictim, type Victim } from '../support/attack/victim.ts';
import { startTestKeys, TEST_PROJECT, type TestKeys } from '../support/keys.ts';
import { callApi, startServer, type TestServer } from '../support/server.ts';
import { buyPlan } from '../support/sign-in.ts';

const SEED = Number(process.env.ATTACK_SEED ?? 7);
const SAMPLES_OF_EACH = 40;
const AT_ONCE = 12;

let keys: TestKeys;
let server: TestServer;
let victim: Victim;
let victimToken = '';
let thief = '';
/** Everybody who was ever let in. */
const known = new Set<string>();
const samples: readonly Samples[] = TARGETS.map((target) =>
  samplesOf(target, SEED, SAMPLES_OF_EACH),
);
let cells = 0;
let failed = 0;
let credentialKinds = 0;

const enter = async (uid: string): Promise<string> => {
  known.add(uid);
  return keys.sign(uid);
};

const startedAt = Date.now();

beforeAll(async () => {
  beginProof('access');
  keys = await startTestKeys();
  server = await startServer({
    env: { VITE_FIREBASE_PROJECT_ID: TEST_PROJECT, FIREBASE_KEYS_URL: keys.url, METRICS: 'true' },
  });
  const canary = newCanary();
  victimToken = await enter('Victim1');
  await buyPlan(server.url, { idToken: victimToken }, 'standard');
  victim = await plantVictim(
    server.url,
    { uid: 'Victim1', token: victimToken, canary },
    EXPORT_PARTS.filter((part) => part !== 'signIn'),
  );
  thief = await enter('Thief1');
  await buyPlan(server.url, { idToken: thief }, 'pro-max');
});
afterEach(({ task }) => {
  if (task.result?.state !== 'pass') failed += 1;
});
afterAll(async () => {
  await server.stop();
  await keys.close();
  keepResult({
    part: 'access',
    command: 'npm run test:access',
    ok: failed === 0,
    seed: SEED,
    seconds: (Date.now() - startedAt) / 1_000,
    figures: {
      'calls and hosted functions': TARGETS.length,
      'kinds of bad tokens': credentialKinds,
      'requests judged': cells,
      'groups of tests that failed': failed,
    },
  });
});

interface Asked {
  target: Target;
  authorization: string | null;
  /** In place of `:id`. */
  id?: string;
  body?: unknown;
}

interface Answer {
  status: number;
  code: string;
  text: string;
  headers: Headers;
}

async function ask({ target, authorization, id = randomUUID(), body }: Asked): Promise<Answer> {
  const isRead = target.method === 'GET';
  const response = await fetch(`${server.url}${target.path.replace(/:\w+/g, id)}`, {
    method: target.method,
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(isRead ? {} : { 'content-type': 'application/json', [IDEMPOTENCY_HEADER]: randomUUID() }),
    },
    ...(isRead ? {} : { body: JSON.stringify(wireBody(target, body ?? {})) }),
  });
  const text = await response.text();
  cells += 1;
  const { code = '' } = /"code":"(?<code>\w+)"/.exec(text)?.groups ?? {};
  return { status: response.status, code, text, headers: response.headers };
}

/** The bodies of a call that its schema takes, with what only the sender knows filled in. */
function goodBodies({ target, bodies }: Samples, uid: string, id: string): unknown[] {
  return bodies
    .map((body): unknown =>
      JSON.parse(JSON.stringify(body).replaceAll(OWN_UID, uid).replaceAll(SOME_ID, id)),
    )
    .filter((body) => target.takesBody(body));
}

async function inTurns<T>(work: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const left = [...work];
  const lane = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await run(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

const STREAM: Target = {
  name: 'stream',
  kind: 'call',
  method: 'GET',
  path: '/api/stream',
  access: 'token',
  query: {},
  body: null,
  takesBody: () => true,
  takesQuery: () => true,
};

describe('a token that must not be taken', () => {
  it('is refused by every call and every hosted function, as what it is (F31, F29)', async () => {
    const credentials = await badCredentials(keys, 'Victim1');
    credentialKinds = credentials.length;
    const asked = [...TARGETS, STREAM].flatMap((target) =>
      credentials.map((credential): [Target, Credential] => [target, credential]),
    );
    const wrong: string[] = [];
    await inTurns(asked, async ([target, { what, authorization, code }]) => {
      const answer = await ask({ target, authorization });
      const expected = target.access === 'open' ? [200, ''] : [ERROR_STATUS[code], code];
      if (answer.status !== expected[0] || answer.code !== expected[1])
        wrong.push(`${target.name}, ${what}: ${answer.status} ${answer.code}`);
      if (answer.text.includes(victim.canary)) wrong.push(`${target.name}, ${what}: a leak`);
      if (target.access === 'token' && answer.headers.get('cache-control') !== 'no-store')
        wrong.push(`${target.name}, ${what}: may be kept`);
    });
    expect(wrong).toEqual([]);
    expect(asked.length).toBeGreaterThan(TARGETS.length * 20);
  });

  it('is what is refused: a good one comes in everywhere', async () => {
    const authorization = `Bearer ${await enter('Guest1')}`;
    const wrong: string[] = [];
    await inTurns(TARGETS, async (target) => {
      const { status } = await ask({ target, authorization });
      if (status === 401) wrong.push(target.name);
    });
    expect(wrong).toEqual([]);
  });
});

describe('an object of another user', () => {
  it('is not there for any call that names one in its address (F50)', async () => {
    const before = await victim.keptNow(victimToken);
    const named = samples.filter(({ target }) => target.path.includes(':id'));
    const asked = named.flatMap((of) => victim.ids.map((id): [Samples, string] => [of, id]));
    const wrong: string[] = [];
    await inTurns(asked, async ([of, id]) => {
      const [body] = goodBodies(of, 'Thief1', id);
      const { target } = of;
      const theirs = await ask({ target, id, body, authorization: `Bearer ${thief}` });
      const nobodys = await ask({ target, body, authorization: `Bearer ${thief}` });
      if (theirs.status !== nobodys.status || theirs.code !== nobodys.code)
        wrong.push(`${target.name} tells it apart: ${theirs.status} and ${nobodys.status}`);
      if (theirs.text.includes(victim.canary)) wrong.push(`${target.name}: a leak`);
    });
    expect(wrong).toEqual([]);
    expect(asked.length).toBeGreaterThan(100);
    expect(await victim.keptNow(victimToken)).toBe(before);
  });

  it('is not reached by any body that names one (F50)', async () => {
    const before = await victim.keptNow(victimToken);
    const naming = samples.filter(({ bodies }) => JSON.stringify(bodies).includes(SOME_ID));
    expect(naming.map(({ target }) => target.name)).toEqual(
      expect.arrayContaining(['startAll', 'previewAgent', 'confirmLive', 'closeSupportRequest']),
    );
    const asked = naming.flatMap((of) =>
      [...victim.ids, victim.uid].flatMap((id) =>
        goodBodies(of, 'Thief1', id)
          .filter((body) => JSON.stringify(body).includes(id))
          .slice(0, 3)
          .map((body): [Target, unknown] => [of.target, body]),
      ),
    );
    const wrong: string[] = [];
    await inTurns(asked, async ([target, body]) => {
      const answer = await ask({ target, body, authorization: `Bearer ${thief}` });
      if (answer.text.includes(victim.canary)) wrong.push(`${target.name}: a leak`);
      if (answer.status >= 500 && !answer.headers.has('retry-after'))
        wrong.push(`${target.name}: ${answer.status}`);
    });
    expect(wrong).toEqual([]);
    expect(asked.length).toBeGreaterThan(100);
    expect(await victim.keptNow(victimToken)).toBe(before);
  });
});

describe('a field that no call has', () => {
  it('is refused wherever it is sent (F54)', async () => {
    const uid = 'Guest2';
    const authorization = `Bearer ${await enter(uid)}`;
    const before = await callApi(server.url, authorization.slice(7), 'usage');
    const asked = samples
      .filter(({ target }) => target.body !== null)
      .flatMap((of) =>
        Object.entries(MASS_FIELDS).map(([field, value]): [Samples, string, unknown] => [
          of,
          field,
          value,
        ]),
      );
    const taken: string[] = [];
    await inTurns(asked, async ([of, field, value]) => {
      const { target } = of;
      if (target.body?.properties?.[field] !== undefined) return;
      const [body = {}] = goodBodies(of, uid, randomUUID());
      const answer = await ask({
        target,
        body: { ...(body as Record<string, unknown>), [field]: value },
        authorization,
      });
      if (answer.status !== 400 && !(answer.status === 404 && target.path.includes(':id')))
        taken.push(`${target.name} ${field}: ${answer.status} ${answer.code}`);
    });
    expect(taken).toEqual([]);
    expect(await callApi(server.url, authorization.slice(7), 'usage')).toEqual(before);
  });
});

describe('a plan', () => {
  const needing = samples.filter(
    ({ target }) => target.kind === 'call' && CALLS[target.name as CallName].needs !== null,
  );

  async function userOf(tier: Tier): Promise<{ uid: string; token: string }> {
    const uid = `Tier-${tier}`;
    const token = await enter(uid);
    if (tier === 'trial') await callApi(server.url, token, 'trialStart', { body: { userId: uid } });
    else if (tier !== 'free') await buyPlan(server.url, { idToken: token }, tier);
    return { uid, token };
  }

  const changesPlan = ({ name, method }: Target): boolean =>
    method !== 'GET' && SUBSCRIPTION_CALLS.includes(name as CallName);

  /** Refused for the plan alone: a refusal that names a field is about a value. */
  const isForPlan = ({ code, text }: Answer): boolean =>
    code === 'insufficient_permissions' && !text.includes('"field"');

  it.each(Tier.options)('%s is let in where it permits, and nowhere else', async (tier) => {
    const { uid, token } = await userOf(tier);
    const wrong: string[] = [];
    await inTurns(samples, async (of) => {
      const { target } = of;
      // What changes the plan itself would let the later ones in.
      if (target.kind !== 'call' || changesPlan(target)) return;
      const permits = tierPermitsCall(tier, target.name as CallName);
      const bodies =
        target.body === null ? [{}] : goodBodies(of, uid, randomUUID()).slice(0, permits ? 2 : 12);
      const answers: Answer[] = [];
      for (const body of bodies)
        answers.push(await ask({ target, body, authorization: `Bearer ${token}` }));
      const refused = answers.filter(isForPlan).length;
      if (permits && refused > 0) wrong.push(`${target.name} refused it`);
      // With an object that is not there, that may be what is said of it.
      const isShut = answers.every(({ status }) => status >= 400);
      if (!permits && !(isShut && (refused > 0 || target.path.includes(':id'))))
        wrong.push(
          `${target.name} let it in: ${answers.map(({ status, code }) => `${status} ${code}`).join(', ')}`,
        );
    });
    expect(wrong).toEqual([]);
    expect(needing.length).toBeGreaterThan(5);
  });
});

describe('afterwards', () => {
  it('nobody has come into being by a forged name, and no error is in the log', async () => {
    // There is no provider that could end sign-ins: it is asked once, by a good token.
    const errors = server.logs().match(/.*"level":(50|60).*/g) ?? [];
    expect(errors.filter((line) => !line.includes('"what":"revoke"'))).toEqual([]);
    await server.kill9();
    const database = await openPglite(server.dataDir);
    const rows = await database.db.select({ uid: users.uid }).from(users);
    await database.close();
    expect(rows.map(({ uid }) => uid).sort()).toEqual([...known].sort());
  });
});
