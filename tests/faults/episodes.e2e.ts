/** Seeded lives of a queue in real Chromium against the real server, with harm at random points; refuses to lose, double or misdeliver. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { receipts } from '../../server/db/schema.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { killBrowser, queueOf, type QueuedRecord } from '../support/device.ts';
import { FAULTS, startFaultProxy, type Fault, type FaultProxy } from '../support/fault-proxy.ts';
import { callApi, createUser, freePort, startServer, type TestServer, type TestUser } from '../support/server.ts';
import { random } from '../support/tape.ts';

const EPISODES = Number(process.env.EPISODES ?? 6);
const SEED = Number(process.env.SEED ?? 20_261);
const HARMS = ['worker-killed', 'server-killed', 'signed-out', 'browser-killed', 'network-cut', 'tab-closed', ...FAULTS] as const;
/** Those that cost no ten seconds of waiting. */
const PASSING_FAULTS: readonly Fault[] = ['drop-reply', 'drop-request', 'portal-page', 'truncate', '500'];
type Harm = (typeof HARMS)[number];

const COMMAND = /^\/api\/agents\/(?:[^/]+\/(?:start|stop)|start-all|stop-all)$/;
const pause = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });

/** One transaction of the page on its queue, told when the disk had it. */
interface Change { puts: QueuedRecord[]; deletes: string[] }

/** Runs in the page: tells of every completed change of a queue. */
const RECORDER = `(() => {
  const changes = new WeakMap();
  const note = (store, kind, what) => {
    if (store.name !== 'outbox') return;
    let change = changes.get(store.transaction);
    if (!change) {
      change = { puts: [], deletes: [] };
      changes.set(store.transaction, change);
      store.transaction.addEventListener('complete', () => { window.queueChanged(change); });
    }
    change[kind].push(what);
  };
  const { put, delete: remove } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, key) { note(this, 'puts', value); return put.call(this, value, key); };
  IDBObjectStore.prototype.delete = function (key) { note(this, 'deletes', key); return remove.call(this, key); };
})()`;

let identityHost: TestServer;
let server: TestServer;
let proxy: FaultProxy;
let browser: Browser;
let page: Page;
let user: TestUser;
let other: TestUser;
const agents: Agent[] = [];
const profile = mkdtempSync(join(tmpdir(), 'tradewind-episodes-'));

/** Everything that was ever saved, by command id. */
const saved = new Map<string, QueuedRecord>();
/** Starts that a later stop on the same disk took back. */
const superseded = new Set<string>();
/** Named to the person and given up at a sign-out. */
const discarded = new Set<string>();
/** Seen at the end of an episode as something the person must deal with. */
const visible = new Map<string, string>();
let pressed = 0;
/** How often the worker was killed with a request of its own on its way. */
let midSend = 0;

function took(change: Change): void {
  const fresh = change.puts.filter((entry) => !saved.has(entry.commandId));
  for (const entry of fresh) saved.set(entry.commandId, entry);
  for (const id of change.deletes) {
    const gone = saved.get(id);
    if (gone?.intent === 'start' && change.puts.some((entry) => entry.intent === 'stop' && entry.agentId === gone.agentId)) superseded.add(id);
    if (visible.has(id)) superseded.add(id);
  }
}

async function launch(): Promise<void> {
  browser = await openBrowser({ profile });
  browser.context.setDefaultTimeout(60_000);
  await browser.context.exposeBinding('queueChanged', (_source, change: Change) => { took(change); });
  await browser.context.addInitScript(RECORDER);
}

async function logIn(who: TestUser): Promise<void> {
  await page.goto(`${proxy.url}/login`);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password', { exact: true }).fill(who.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/dashboard');
}

async function openAgents(): Promise<void> {
  if (page.isClosed()) page = await browser.page();
  await page.goto(`${proxy.url}/agents`);
  await page.getByText(agents[0]?.name ?? '').first().waitFor();
}

/** Presses Start or Stop of an agent that offers one now. One whose stop waits offers neither. */
async function press(roll: () => number): Promise<void> {
  const offered = page.getByRole('button', { name: /^(Stop|Start) (Harbour|Ebb|Drift|Shoal)\b/ }).filter({ visible: true });
  const count = await offered.count();
  if (count === 0) return;
  // By its name from here on: the list may change between two looks.
  const label = await offered.nth(Math.floor(roll() * count)).getAttribute('aria-label', { timeout: 5_000 }).catch(() => null);
  if (label === null) return;
  const chosen = page.getByRole('button', { name: label, exact: true }).filter({ visible: true }).first();
  if (label.startsWith('Stop')) {
    await chosen.dispatchEvent('pointerdown', { button: 0 }, { timeout: 5_000 }).catch(() => undefined);
    await pause(700);
  } else {
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true });
    const offeredStill = await chosen.click({ timeout: 5_000 }).then(() => confirm.click({ timeout: 5_000 })).then(() => true, () => false);
    // Its agent was started meanwhile, by a command that had been thought lost.
    if (!offeredStill) { await page.keyboard.press('Escape'); return; }
  }
  pressed += 1;
}

async function until(good: () => Promise<boolean>, what: string, timeoutMs = 90_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!await good().catch(() => false)) {
    if (Date.now() > end) throw new Error(`Not in time: ${what}`);
    await pause(150);
  }
}

async function signOutAndIn(roll: () => number): Promise<void> {
  await browser.context.setOffline(roll() < 0.5);
  // From inside the app: the shell needs no network for it.
  await page.evaluate(() => { history.pushState(null, '', '/security'); dispatchEvent(new PopStateEvent('popstate')); });
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  const discard = page.getByRole('button', { name: 'Discard and sign out' });
  const gone = page.waitForURL(`${proxy.url}/`);
  await Promise.race([discard.waitFor().then(() => discard.click({ timeout: 5_000 })), gone]);
  await gone;
  // Only what had not been sent by then; what had is held to its receipt at the end.
  for (const id of saved.keys()) discarded.add(id);
  await browser.context.setOffline(false);
  if (roll() < 0.5) {
    await logIn(other);
    await page.goto(`${proxy.url}/agents`);
    await until(async () => (await queueOf(page, user.uid)).length === 0, 'the queue of the user before is gone');
    expect(await page.getByText(agents[0]?.name ?? '').count()).toBe(0);
    await page.evaluate(() => { history.pushState(null, '', '/security'); dispatchEvent(new PopStateEvent('popstate')); });
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(`${proxy.url}/`);
  }
  await logIn(user);
}

/** The worker alone sends, and is killed with the request on its way. */
async function killWorker(roll: () => number): Promise<void> {
  await page.close();
  let came: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => { came = resolve; });
  proxy.harm(() => null);
  proxy.watch(({ path }) => { if (COMMAND.test(path)) { midSend += 1; came(); } });
  await browser.stopWorkers();
  await browser.dispatchSync(proxy.url, 'outbox').catch(() => undefined);
  await Promise.race([arrived, pause(6_000)]);
  await pause(roll() * 20);
  await browser.stopWorkers();
  proxy.watch(() => undefined);
}

async function harm(kind: Harm, roll: () => number): Promise<void> {
  switch (kind) {
    case 'worker-killed': return killWorker(roll);
    case 'tab-closed': await page.close(); return;
    case 'browser-killed':
      killBrowser(profile);
      await pause(300);
      return;
    case 'server-killed': await server.kill9(); return;
    case 'network-cut': await pause(roll() * 400); await browser.context.setOffline(false); return;
    case 'signed-out': return signOutAndIn(roll);
    // The proxy does these by itself, from the presses on.
    case 'drop-request': case 'drop-reply': case 'stall': case 'portal-page': case 'portal-redirect': case 'truncate': case '500': return;
  }
}

/** What must be so before the presses for the harm to bite. */
async function prepare(kind: Harm, roll: () => number): Promise<void> {
  let left = 1 + Math.floor(roll() * 2);
  const once = (fault: Fault) => ({ path }: { path: string }): Fault | null => (COMMAND.test(path) && left-- > 0 ? fault : null);
  if (kind === 'network-cut') await browser.context.setOffline(true);
  else if (kind === 'worker-killed') proxy.harm(({ path }) => (COMMAND.test(path) ? 'drop-request' : null));
  else if ((FAULTS as readonly string[]).includes(kind)) proxy.harm(once(kind as Fault));
  // The other harms meet a queue that is half sent: now and then an answer is lost besides.
  else if (roll() < 0.6) proxy.harm(once(PASSING_FAULTS[Math.floor(roll() * PASSING_FAULTS.length)] ?? 'drop-reply'));
}

async function recover(kind: Harm): Promise<void> {
  proxy.harm(() => null);
  if (kind === 'server-killed') await server.restart();
  if (kind === 'browser-killed') { await launch(); page = await browser.page(); }
  if (page.isClosed()) page = await browser.page();
  if (kind !== 'network-cut' || !page.url().endsWith('/agents')) await openAgents();
  await until(async () => (await queueOf(page, user.uid)).every((entry) => entry.state !== 'saved' && entry.state !== 'sending'), `the queue is sent after ${kind}`);
  for (const entry of await queueOf(page, user.uid)) visible.set(entry.commandId, entry.state);
}

async function episode(kind: Harm, roll: () => number): Promise<void> {
  const presses = 2 + Math.floor(roll() * 3);
  // Signing out takes the screen away, and so do killed things: nothing is pressed after them.
  const strikesAt = kind === 'server-killed' || kind === 'network-cut' ? Math.floor(roll() * (presses + 1)) : presses;
  await prepare(kind, roll);
  for (let n = 0; n < presses; n += 1) {
    if (n === strikesAt) await harm(kind, roll);
    await press(roll);
    await pause(roll() * 120);
  }
  if (strikesAt >= presses) await harm(kind, roll);
  await recover(kind);
}

beforeAll(async () => {
  const dist: Record<string, string> = process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR };
  const target = { port: await freePort() };
  proxy = await startFaultProxy(target);
  const emulatorPort = String(await freePort());
  // The identity provider outlives the server that is killed, as a real one does.
  identityHost = await startServer({ env: { ...dist, AUTH_EMULATOR_PORT: emulatorPort } });
  server = await startServer({ env: { ...dist, PORT: String(target.port), PUBLIC_ORIGIN: proxy.url, FIREBASE_AUTH_EMULATOR_HOST: `127.0.0.1:${emulatorPort}` } });
  user = await createUser(server.url);
  other = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  for (const name of ['Harbour', 'Ebb', 'Drift', 'Shoal']) {
    const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
      // Looks once a day: what changes it is commands alone.
      body: { name, trading_pairs: ['BTC/USDT'], risk_profile: 'Conservative', max_position_size: 100, execution_interval: 'daily', enabled: true },
    });
    agents.push(agent);
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
  await identityHost?.stop();
  await proxy?.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

interface Receipt { uid: string; commandId: string; reply: { outcome?: string; agent?: Agent } }

function judge(rows: Receipt[], now: Agent[], killed: number): { lost: string[]; doubled: string[]; misdelivered: string[] } {
  const delivered = new Map(rows.map((row) => [row.commandId, row]));
  const lost = [...saved.keys()].filter((id) => !delivered.has(id) && !superseded.has(id) && !discarded.has(id) && !visible.has(id));
  const misdelivered = rows.filter((row) => row.uid !== user.uid).map((row) => `${row.commandId} of ${row.uid}`);
  const doubled: string[] = [];
  for (const agent of now) {
    const mine = rows.filter((row) => row.reply.agent?.id === agent.id).map((row) => ({ id: row.commandId, entry: saved.get(row.commandId), generation: row.reply.agent?.generation ?? -1, outcome: row.reply.outcome }));
    const first = agents.find((one) => one.id === agent.id)?.generation ?? 0;
    // Every effect raises the generation by one: one effect more than receipts, or less, would leave a gap.
    const effects = mine.filter((one) => one.outcome !== 'unchanged' || one.entry?.intent === 'stop').map((one) => one.generation).sort((a, b) => a - b);
    if (effects.join() !== effects.map((_one, index) => first + 1 + index).join() || agent.generation !== first + effects.length) doubled.push(`${agent.name}: ${first} → ${agent.generation} by ${effects.join()}`);
    // In the order they were pressed: the sequence of a device only grows until its queue is deleted or empty.
    const known = mine.filter((one) => one.entry !== undefined).sort((a, b) => a.generation - b.generation);
    const order = [...saved.keys()];
    known.forEach((one, index) => {
      const before = known[index - 1];
      if (before !== undefined && order.indexOf(before.id) > order.indexOf(one.id)) doubled.push(`${agent.name}: ${before.id} came before ${one.id}`);
    });
  }
  const strangers = rows.filter((row) => row.uid === user.uid && row.reply.agent !== undefined && !saved.has(row.commandId));
  if (strangers.length > killed) doubled.push(...strangers.map((row) => `unknown ${row.commandId}`));
  return { lost, doubled, misdelivered };
}

describe('episodes', () => {
  it(`loses, doubles and misdelivers nothing in ${EPISODES} episodes of a real browser (F01, F02, F03, F10, F11, F34, F36)`, async () => {
    const roll = random(SEED);
    const counts: Partial<Record<Harm, number>> = {};
    let bag: Harm[] = [];
    for (let n = 1; n <= EPISODES; n += 1) {
      // A short run takes the first six kinds, a long one all of them, shuffled.
      if (bag.length === 0) bag = EPISODES <= 6 ? [...HARMS.slice(0, 6)] : [...HARMS].sort(() => roll() - 0.5);
      const kind = bag.shift() ?? 'tab-closed';
      counts[kind] = (counts[kind] ?? 0) + 1;
      try {
        await episode(kind, roll);
      } catch (error) {
        throw new Error(`Episode ${n} (${kind}, seed ${SEED}): ${String(error)}`, { cause: error });
      }
      if (EPISODES > 20 && n % 10 === 0) console.log(`${n} episodes, ${pressed} presses`);
    }
    const now = (await callApi(server.url, user.idToken, 'agents')).agents;
    await server.kill9();
    const database = await openPglite(server.dataDir);
    const rows = (await database.db.select().from(receipts)) as unknown as Receipt[];
    await database.close();
    const commands = rows.filter((row) => row.reply.outcome !== undefined);
    console.log(`${EPISODES} episodes, seed ${SEED}: ${pressed} presses, ${saved.size} saved, ${commands.length} delivered, ${superseded.size} taken back, ${visible.size} asked, ${midSend} sent by a worker about to be killed, ${JSON.stringify(counts)}`);
    expect(commands.length).toBeGreaterThan(EPISODES / 2);
    expect(judge(commands, now, counts['browser-killed'] ?? 0)).toEqual({ lost: [], doubled: [], misdelivered: [] });
  }, 120_000 + EPISODES * 40_000);
});
