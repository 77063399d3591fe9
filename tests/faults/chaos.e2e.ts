/**
 * Seeded lives of a queue in real Chromium against the real server, with harm at random points;
 * refuses to lose, double or misdeliver.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { receipts } from '../../server/db/schema.ts';
import { tokenClaims } from '../../src/offline/token-claims.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { killBrowser, queueOf } from '../support/device.ts';
import { Evidence, judgeRun, type AgentNow, type Receipt } from '../support/chaos-judge.ts';
import { runPlan, HARMS, SHORT, type RunPlan, type Harm } from '../support/chaos-plan.ts';
import { startFaultProxy, type FaultProxy, type Passing } from '../support/fault-proxy.ts';
import { NO_LOCK, RECORDER, type Change } from '../support/queue-scripts.ts';
import {
  callApi,
  createUser,
  freePort,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { fillLogIn, logIn as enter } from '../support/sign-in.ts';

/**
 * A failing run is replayed by SEED=<seed> FIRST=<its number> CHAOS_RUNS=1 KINDS=all; STEPS=1
 * tells every step.
 */
const CHAOS_RUNS = Number(process.env.CHAOS_RUNS ?? SHORT.length);
const FIRST = Number(process.env.FIRST ?? 1);
const SEED = Number(process.env.SEED ?? 20_261);
const KINDS: readonly Harm[] =
  CHAOS_RUNS > SHORT.length || process.env.KINDS === 'all'
    ? HARMS
    : process.env.KINDS === undefined
      ? SHORT
      : HARMS.filter((kind) => process.env.KINDS?.split(',').includes(kind));
const NAMES = ['Harbour', 'Ebb', 'Drift', 'Shoal'];
const STRANGER = 'Tern';

const COMMAND = /^\/api\/agents\/(?:[^/]+\/(?:start|stop)|start-all|stop-all)$/;
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

let server: TestServer;
let proxy: FaultProxy;
let browser: Browser;
let page: Page;
let user: TestUser;
let other: TestUser;
const agents: (Agent & { uid: string })[] = [];
const profile = mkdtempSync(join(tmpdir(), 'tradewind-runs-'));
const evidence = new Evidence();
/** In which run a command was saved. */
const runOf = new Map<string, number>();
const steps = new Map<number, string[]>();
let runNow = 0;
let runBegan = 0;
let pressed = 0;
/** The agent whose Stop was pressed last, if the last press was one. */
let stopping: string | null = null;
/** How often the worker was killed with a request of its own on its way. */
let midSend = 0;
let afterRequest: (passing: Passing) => void = () => undefined;

function step(text: string): void {
  const line = `${String(Date.now() - runBegan).padStart(6)} ms  ${text}`;
  steps.set(runNow, [...(steps.get(runNow) ?? []), line]);
  if (process.env.STEPS === '1') console.log(`${runNow}: ${line}`);
}

function took(change: Change): void {
  for (const entry of change.puts) {
    if (evidence.saved.has(entry.commandId)) continue;
    evidence.put(entry);
    runOf.set(entry.commandId, runNow);
    step(`saved ${entry.intent} ${nameOf(entry.agentId)} as ${entry.commandId}`);
  }
  for (const gone of change.deletes) {
    // A stop pressed again is the one that waits already: then nothing is put, and the start
    // between them goes all the same.
    const stopped =
      change.puts.some((entry) => entry.intent === 'stop' && entry.agentId === gone.agentId) ||
      (gone.attempts === 0 && nameOf(gone.agentId) === stopping);
    if (gone.intent !== 'start' || !stopped) continue;
    evidence.takenBack.set(gone.commandId, gone.attempts);
    step(`taken back after ${gone.attempts} attempts: ${gone.commandId}`);
  }
}

const nameOf = (id: string | null): string =>
  agents.find((agent) => agent.id === id)?.name ?? 'all';

function saw(passing: Passing): void {
  if (!COMMAND.test(passing.path)) return;
  const commandId = String(passing.headers[IDEMPOTENCY_HEADER.toLowerCase()]);
  const tokenUid =
    tokenClaims(String(passing.headers.authorization).replace('Bearer ', ''))?.uid ?? 'nobody';
  evidence.request({ commandId, tokenUid });
  step(`request ${commandId} for ${tokenUid === user.uid ? 'the user' : tokenUid}`);
  afterRequest(passing);
}

async function launch(): Promise<void> {
  browser = await openBrowser({ profile });
  await browser.context.exposeBinding('queueChanged', (_source, change: Change) => {
    took(change);
  });
  await browser.context.addInitScript(RECORDER);
}

const logIn = (who: TestUser): Promise<void> => enter(page, proxy.url, who);

async function openAgents(on = page): Promise<void> {
  await on.goto(`${proxy.url}/agents`);
  await on
    .getByText(NAMES[0] ?? '')
    .first()
    .waitFor();
}

/** From inside the app: the shell needs no network for it. */
const goInside = (path: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);

async function until(
  good: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 90_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await Promise.resolve(good()).catch(() => false))) {
    if (Date.now() > end) throw new Error(`Not in time: ${what}`);
    await pause(60);
  }
}

/** Presses Start or Stop of an agent, whichever it offers. One whose stop waits offers neither. */
async function press(name: string, on: Page): Promise<void> {
  const offered = on
    .getByRole('button', { name: new RegExp(`^(Stop|Start) ${name}\\b`) })
    .filter({ visible: true })
    .first();
  const label = await offered.getAttribute('aria-label', { timeout: 400 }).catch(() => null);
  if (label === null) {
    step(`${name} offers nothing`);
    return;
  }
  const before = evidence.saved.size;
  const chosen = on
    .getByRole('button', { name: label, exact: true })
    .filter({ visible: true })
    .first();
  step(`press ${label}`);
  stopping = label.startsWith('Stop') ? name : null;
  if (label.startsWith('Stop')) {
    await chosen.dispatchEvent('click', {}, { timeout: 5_000 }).catch(() => undefined);
  } else {
    const confirm = on.getByRole('dialog').getByRole('button', { name: 'Start', exact: true });
    const offeredStill = await chosen
      .click({ timeout: 5_000 })
      .then(() => confirm.click({ timeout: 5_000 }))
      .then(
        () => true,
        () => false,
      );
    // Its agent was started meanwhile, by a command that had been thought lost.
    if (!offeredStill) {
      step('not offered any more');
      await on.keyboard.press('Escape');
      return;
    }
  }
  pressed += 1;
  // One that says what is queued already leaves no trace.
  await until(() => evidence.saved.size > before, 'the press is on the disk', 1_200).catch(() => {
    step('nothing new was saved');
  });
}

/** The button of the question. What is delivered meanwhile leaves nothing to discard. */
const outAnyway = () =>
  page.getByRole('dialog').getByRole('button', { name: /^(Discard and log|Log) out$/ });

/** Asks to sign out, and holds what is said of unsent commands against what lies on the device. */
async function askToSignOut(): Promise<'left' | 'asked'> {
  await goInside('/security');
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const answer = await Promise.race([
    outAnyway()
      .waitFor()
      .then(() => 'asked' as const),
    page.waitForURL(`${proxy.url}/`).then(() => 'left' as const),
  ]);
  if (answer === 'left') return answer;
  const told = await dialog.innerText();
  // What is on the disk after the question was put was on the disk before it: nothing is pressed
  // meanwhile.
  for (const entry of (await queueOf(page, user.uid)).filter(
    ({ state }) => state === 'saved' || state === 'sending' || state === 'needs-you',
  )) {
    if (!told.includes(nameOf(entry.agentId)))
      throw new Error(
        `${entry.intent} ${nameOf(entry.agentId)} is unsent and was not named: ${told}`,
      );
  }
  return answer;
}

async function signOut(): Promise<void> {
  if ((await askToSignOut()) === 'asked') {
    const given = (await queueOf(page, user.uid)).map((entry) => entry.commandId);
    for (const id of given) evidence.discarded.add(id);
    step(`discarded ${given.join(' ') || 'nothing that was left'}`);
    await outAnyway().click({ timeout: 5_000 });
  }
  await page.waitForURL(`${proxy.url}/`);
  // What had left before arrives by now; from here on nothing of this user may.
  await pause(250);
  for (const id of evidence.saved.keys()) evidence.seal(id, 'over by a sign-out');
  step('signed out');
}

/** Another person on the same device, with a command of their own. */
async function visitByOther(): Promise<void> {
  await logIn(other);
  await page.goto(`${proxy.url}/agents`);
  await page.getByText(STRANGER).first().waitFor();
  await until(
    async () => (await queueOf(page, user.uid)).length === 0,
    'the queue of the user before is gone',
  );
  expect(await page.getByText(NAMES[0] ?? '').count()).toBe(0);
  await press(STRANGER, page);
  await until(async () => (await queueOf(page, other.uid)).length === 0, 'the other one has sent');
  await signOut();
}

/** The identity provider forgets the person, as it does on some faults; nobody has signed out. */
async function loseSession(): Promise<void> {
  await page.goto(`${proxy.url}/manifest.webmanifest`);
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('firebaseLocalStorageDb');
        request.onerror = () => {
          reject(request.error ?? new Error('open failed'));
        };
        request.onsuccess = () => {
          const transaction = request.result.transaction('firebaseLocalStorage', 'readwrite');
          transaction.objectStore('firebaseLocalStorage').clear();
          transaction.oncomplete = () => {
            request.result.close();
            resolve();
          };
        };
      }),
  );
  step('the provider has forgotten the user');
  await browser.context.setOffline(false);
  // The app paints from its own record until the provider has said that nobody is there.
  await page.goto(`${proxy.url}/agents`);
  await page.getByRole('link', { name: 'Go to Login' }).click();
  await fillLogIn(page, user);
  await page.waitForURL('**/agents');
}

/**
 * The worker alone sends, and is killed while its request is on its way: seen by the server, or
 * not.
 */
async function killWorker({ dice: [seen, moment] }: RunPlan): Promise<void> {
  await page.close();
  let came: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    came = resolve;
  });
  proxy.harm(({ path }) =>
    !COMMAND.test(path) ? null : seen < 0.4 ? 'hold' : seen < 0.8 ? 'stall' : null,
  );
  afterRequest = () => {
    midSend += 1;
    step('killing the worker mid-send');
    came();
  };
  await browser.stopWorkers();
  await browser.dispatchSync(proxy.url, 'outbox').catch(() => undefined);
  await Promise.race([arrived, pause(4_000)]);
  await pause(moment * 20);
  await browser.stopWorkers();
  afterRequest = () => undefined;
}

async function harm(plan: RunPlan): Promise<void> {
  step(plan.kind);
  switch (plan.kind) {
    case 'worker-killed':
      return killWorker(plan);
    case 'tab-closed':
      await page.close();
      return;
    case 'browser-killed':
      killBrowser(profile);
      await pause(300);
      return;
    case 'server-killed':
      await server.kill9();
      return;
    case 'network-cut':
    case 'two-tabs':
    case 'unlocked-tabs':
      await pause(plan.dice[0] * 200);
      await browser.context.setOffline(false);
      return;
    case 'signed-out':
    case 'other-user':
      await signOut();
      await browser.context.setOffline(false);
      if (plan.kind === 'other-user') await visitByOther();
      return logIn(user);
    case 'put-off':
      if ((await askToSignOut()) === 'asked')
        await page.getByRole('button', { name: 'Stay logged in' }).click();
      await browser.context.setOffline(false);
      return page.url() === `${proxy.url}/` ? logIn(user) : undefined;
    case 'session-lost':
      return loseSession();
    // The proxy does these by itself, from the presses on.
    case 'drop-request':
    case 'drop-reply':
    case 'stall':
    case 'portal-page':
    case 'portal-redirect':
    case 'truncate':
    case '500':
  }
}

async function recover({ kind }: RunPlan): Promise<void> {
  proxy.harm(() => null);
  if (kind === 'server-killed') await server.restart();
  if (kind === 'browser-killed') {
    await launch();
    page = await browser.page();
  }
  if (page.isClosed()) page = await browser.page();
  const sent = async (): Promise<boolean> =>
    (await queueOf(page, user.uid)).every(
      (entry) => entry.state !== 'saved' && entry.state !== 'sending',
    );
  if (!page.url().endsWith('/agents')) await openAgents();
  // A tab that was only cut off comes back by itself; one that failed is looked at anew, so that no
  // long wait is sat out.
  else if (!['network-cut', 'two-tabs', 'unlocked-tabs'].includes(kind)) await openAgents();
  await until(sent, `the queue is sent after ${kind}`);
  for (const entry of await queueOf(page, user.uid)) {
    if (evidence.shown.has(entry.commandId)) continue;
    evidence.shown.set(entry.commandId, entry.state);
    evidence.seal(entry.commandId, `shown as ${entry.state}`);
    step(`shown as ${entry.state}: ${entry.commandId}`);
  }
}

async function run(plan: RunPlan): Promise<void> {
  const tabs = [page];
  if (plan.kind === 'two-tabs' || plan.kind === 'unlocked-tabs') {
    const second = await browser.page();
    await openAgents(second);
    tabs.push(second);
    if (plan.kind === 'unlocked-tabs') for (const tab of tabs) await tab.evaluate(NO_LOCK);
  }
  if (plan.offline) await browser.context.setOffline(true);
  let left = plan.faults;
  proxy.harm(({ path }) => (COMMAND.test(path) && left-- > 0 ? plan.fault : null));
  for (const [n, { agent, waitMs }] of plan.presses.entries()) {
    if (n === plan.strikesAt) await harm(plan);
    await press(NAMES[agent] ?? '', tabs[n % tabs.length] ?? page);
    await pause(waitMs);
  }
  if (plan.strikesAt >= plan.presses.length) await harm(plan);
  await recover(plan);
  if (tabs.length === 1) return;
  await tabs[1]?.close();
  if (plan.kind === 'unlocked-tabs') await openAgents();
}

beforeAll(async () => {
  const dist: Record<string, string> =
    process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR };
  const target = { port: await freePort() };
  proxy = await startFaultProxy(target);
  proxy.watch(saw);
  // The identity provider outlives the server that is killed, as a real one does.
  server = await startServer({
    env: {
      ...dist,
      PORT: String(target.port),
      PUBLIC_ORIGIN: proxy.url,
    },
  });
  user = await createUser(server.url);
  other = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  await callApi(server.url, other.idToken, 'trialStart', { body: { userId: other.uid } });
  for (const name of [...NAMES, STRANGER]) {
    const owner = name === STRANGER ? other : user;
    const { agent } = await callApi(server.url, owner.idToken, 'createAgent', {
      // Looks once a day: what changes it is commands alone.
      body: {
        name,
        trading_pairs: ['BTC/USDT'],
        risk_profile: 'Conservative',
        max_position_size: 100,
        execution_interval: 'daily',
        enabled: true,
      },
    });
    agents.push({ ...agent, uid: owner.uid });
  }
  await launch();
  page = await browser.page();
  await logIn(user);
  await controlled(page);
  await openAgents();
});
afterAll(async () => {
  await browser?.close().catch(() => undefined);
  await server?.stop();
  await proxy?.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

/** The agents as the server has them now. */
async function agentsNow(): Promise<AgentNow[]> {
  const lists = await Promise.all(
    [user, other].map(async ({ uid, idToken }) =>
      (await callApi(server.url, idToken, 'agents')).agents.map((agent) => ({ ...agent, uid })),
    ),
  );
  return lists.flat();
}

async function receiptsOnDisk(): Promise<Receipt[]> {
  await server.kill9();
  const database = await openPglite(server.dataDir);
  const rows = (await database.db.select().from(receipts)) as unknown as Receipt[];
  await database.close();
  return rows.filter((row) => row.reply.outcome !== undefined);
}

/** The steps of the runs in which these commands were pressed. */
function story(faults: readonly string[]): string {
  const numbers = new Set(
    [...runOf].filter(([id]) => faults.some((fault) => fault.includes(id))).map(([, n]) => n),
  );
  return [...numbers]
    .map(
      (n) =>
        `Run ${n}: SEED=${SEED} FIRST=${n} CHAOS_RUNS=1 KINDS=all\n${(steps.get(n) ?? []).join('\n')}`,
    )
    .join('\n');
}

describe('runs', () => {
  it(
    `loses, doubles and misdelivers nothing in ${CHAOS_RUNS} runs of a real browser (F01, F02, F03, F10, F11, F22, F34, F36)`,
    async () => {
      const counts: Partial<Record<Harm, number>> = {};
      const took: Partial<Record<Harm, number>> = {};
      for (runNow = FIRST; runNow < FIRST + CHAOS_RUNS; runNow += 1) {
        const plan = runPlan(SEED, runNow, KINDS, NAMES.length);
        counts[plan.kind] = (counts[plan.kind] ?? 0) + 1;
        runBegan = Date.now();
        step(JSON.stringify(plan));
        try {
          await run(plan);
        } catch (error) {
          throw new Error(
            `Run ${runNow} (${plan.kind}, seed ${SEED}): ${String(error)}\n${(steps.get(runNow) ?? []).join('\n')}`,
            { cause: error },
          );
        }
        took[plan.kind] = (took[plan.kind] ?? 0) + Date.now() - runBegan;
        if (CHAOS_RUNS > 20 && runNow % 10 === 0) console.log(`${runNow} runs, ${pressed} presses`);
      }
      const now = await agentsNow();
      const rows = await receiptsOnDisk();
      const { saved, takenBack, shown, discarded } = evidence;
      const given = [...discarded].filter((id) => !rows.some((row) => row.commandId === id)).length;
      console.log(
        `${CHAOS_RUNS} runs from ${FIRST}, seed ${SEED}: ${pressed} presses, ${saved.size} saved, ${rows.length} delivered, ${takenBack.size} taken back, ${given} discarded, ${shown.size} asked, ${midSend} sent by a worker about to be killed, ${JSON.stringify(counts)}, ms a kind ${JSON.stringify(took)}`,
      );
      const verdict = judgeRun(
        evidence,
        rows,
        now,
        new Map(agents.map((agent) => [agent.id, agent.generation])),
        counts['browser-killed'] ?? 0,
      );
      expect(verdict, story(Object.values(verdict).flat())).toEqual({
        lost: [],
        doubled: [],
        misdelivered: [],
      });
      expect(rows.length).toBeGreaterThan(CHAOS_RUNS / 2);
    },
    120_000 + CHAOS_RUNS * 40_000,
  );
});
