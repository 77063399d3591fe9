/**
 * Every dangerous control under real fingers, with the network and without: what is meant is done
 * once, and nothing else ever; judged by what is sent and queued.
 */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { haltOn } from '../support/fling.ts';
import { callApi, startServer, type TestServer } from '../support/server.ts';
import { replayTape } from '../support/tape.ts';
import { CONTROLS, type Control } from '../support/touch-controls.ts';
import {
  GESTURES,
  heldFor,
  pause,
  REPLACED,
  spotOf,
  TWO_FINGERS,
  type Gesture,
  type Spot,
} from '../support/touch.ts';
import {
  emptyQueue,
  makePerson,
  openLone,
  openWorld,
  waitingOn,
  type Lone,
  type World,
} from '../support/touch-world.ts';
import { until } from '../support/until.ts';

/**
 * `npm run test:touch` takes twenty of each; the short form takes one way of each control, in turn,
 * another with the network than without.
 */
const REPETITIONS = Number(process.env.REPETITIONS ?? '1');
const FULL = process.env.REPETITIONS !== undefined;
const ONLY = process.env.CONTROLS === undefined ? null : new RegExp(process.env.CONTROLS);
/** People at work at once, half of them without a network. */
const HANDS = Number(process.env.HANDS ?? (FULL ? '4' : '2'));
/**
 * How long an order may take until it is sent or queued; and how long a press that orders nothing
 * is watched, ms.
 */
const ORDERED_MS = 4_000;
const QUIET_MS = 300;
/** How often the way to a control is tried, and how often it may move away from under a finger. */
const TRIES = 5;
/** How often a page is flung until a finger has halted it in time. */
const HALTS = 40;

interface Count {
  presses: number;
  intended: number;
  unintended: number;
  lost: number;
  said: Set<string>;
}

let server: TestServer;
const tape = replayTape();
const counts = new Map<string, Count>();
const worlds: World[] = [];
let lone: Lone | null = null;

function countOf(control: Control, gesture: Gesture, online: boolean): Count {
  const key = `${control.name} | ${gesture.name} | ${online ? 'online' : 'offline'}`;
  const count = counts.get(key) ?? {
    presses: 0,
    intended: 0,
    unintended: 0,
    lost: 0,
    said: new Set<string>(),
  };
  counts.set(key, count);
  return count;
}

/** What a press of this kind is to order; null for nothing. */
function wantedOf(control: Control, gesture: Gesture, online: boolean): string | null {
  if (control.kind === 'opens') return null;
  if (gesture.name === TWO_FINGERS && control.kind === 'tap' && control.isSteady !== true)
    return null;
  const acts = (gesture.name === REPLACED && control.isOver === true) || gesture.acts[control.kind];
  return acts ? control.order(online) : null;
}

/** The control on the screen and the spot to press, with everything as it was before. */
async function reached(world: World, control: Control): Promise<{ target: Locator; spot: Spot }> {
  const { page } = world;
  await world.restore();
  const target = await control.ready(world);
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => {
          requestAnimationFrame(resolve);
        });
      }),
  );
  // The double taps of two tries are no double tap of one.
  await pause(450);
  const spot = await spotOf(target);
  world.forget();
  await target.evaluate((element) => {
    Object.assign(window, { begunOnIt: false });
    addEventListener(
      'pointerdown',
      ({ target: on }) => {
        if (on instanceof Node && element.contains(on)) Object.assign(window, { begunOnIt: true });
      },
      { capture: true },
    );
  });
  return { target, spot };
}

/** A way that led nowhere is gone again, from a page loaded anew. No finger has come down yet. */
async function surelyReached(
  world: World,
  control: Control,
): Promise<{ target: Locator; spot: Spot }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await reached(world, control);
    } catch (error) {
      if (tries === TRIES) throw error;
      console.log(`${control.name} was not reached: ${String(error).split('\n')[0] ?? ''}`);
      await world.page.reload().catch(() => undefined);
    }
  }
}

/**
 * Presses it; false where the finger came down beside it, because the page moved it between the
 * look and the press, or where the machine was too slow for the gesture.
 */
async function pressed(world: World, control: Control, gesture: Gesture): Promise<boolean> {
  const { hand, page } = world;
  const { spot, target } = await surelyReached(world, control);
  const heldMs = heldFor(control.kind === 'hold' ? 'hold' : 'tap');
  if (!(await gesture.make({ page, hand, target, spot, heldMs }))) return false;
  // A press that has led to another page began on it.
  return page
    .evaluate(() => (window as { begunOnIt?: boolean }).begunOnIt !== false)
    .catch(() => true);
}

/** What it has ordered, once that has had its time. */
async function judged(world: World, control: Control, gesture: Gesture): Promise<void> {
  const { online, page } = world;
  const wanted = wantedOf(control, gesture, online);
  const ordered = (): Promise<string[]> =>
    (control.ordered ?? ((there: World) => there.orders()))(world);
  const end = Date.now() + (wanted === null ? QUIET_MS : ORDERED_MS);
  while (Date.now() < end && !(wanted !== null && (await ordered()).includes(wanted)))
    await pause(60);
  await pause(120);
  const found = await ordered();
  const count = countOf(control, gesture, online);
  const meant = found.filter((order) => order === wanted).length;
  count.presses += 1;
  count.intended += Math.min(1, meant);
  count.unintended += found.length - Math.min(1, meant);
  count.lost += wanted !== null && meant === 0 ? 1 : 0;
  for (const order of found) if (order !== wanted) count.said.add(order);
  // What the gesture moved or left is drawn anew.
  await page
    .evaluate(() => {
      for (const moved of document.querySelectorAll<HTMLElement>('[style*="translate"], ul[style]'))
        moved.removeAttribute('style');
    })
    .catch(() => undefined);
}

async function work(world: World, controls: readonly Control[]): Promise<void> {
  const where = world.online ? 'online' : 'offline';
  const reached = controls.filter((control) => control.where.includes(where));
  const turnOf = (control: Control): number =>
    (CONTROLS.indexOf(control) + (world.online ? 0 : GESTURES.length / 2)) % GESTURES.length;
  const waysOf = (control: Control): readonly Gesture[] =>
    FULL ? GESTURES : GESTURES.filter((_way, place) => place === turnOf(control));
  for (let turn = 1; turn <= REPETITIONS; turn += 1) {
    for (const [control, gesture] of reached.flatMap((each) =>
      waysOf(each).map((how) => [each, how] as const),
    )) {
      try {
        for (let tries = 1; !(await pressed(world, control, gesture)); tries += 1)
          if (tries === TRIES)
            throw new Error('It moves away, or the machine is too slow, each time');
        await judged(world, control, gesture);
      } catch (error) {
        throw new Error(`${control.name}, ${gesture.name}, ${where}`, { cause: error });
      }
    }
    if (FULL)
      console.log(`${where}, ${turn} of ${REPETITIONS}:\n${tableOf((key) => key.endsWith(where))}`);
  }
}

function tableOf(shown: (key: string) => boolean): string {
  const rows = [...counts]
    .filter(([key]) => shown(key))
    .map(
      ([key, { presses, intended, unintended, lost, said }]) =>
        `| ${key} | ${presses} | ${intended} | ${unintended} | ${lost} |${said.size === 0 ? '' : ` ${[...said].join(', ')}`}`,
    );
  return rows.join('\n');
}

beforeAll(async () => {
  server = await startServer({
    env: {
      ...tape.env,
      REPLAY_SPEED: '1200',
      ...(process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR }),
    },
  });
  const people = await Promise.all(Array.from({ length: HANDS }, () => makePerson(server)));
  for (const { user } of people)
    await until(
      () => callApi(server.url, user.idToken, 'portfolio'),
      ({ positions }) => positions.length > 0,
    );
  // From here on the tape nearly stands: what is held stays held.
  await server.restart({ REPLAY_SPEED: '1' });
  for (const [index, person] of people.entries())
    worlds.push(await openWorld(server, person, index % 2 === 0));
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  await lone?.browser.close();
  await server?.stop();
  tape.remove();
});

const byNetwork = (online: boolean): World => {
  const found = worlds.find((world) => world.online === online);
  if (found === undefined) throw new Error('Nobody is there');
  return found;
};
const atHarbour = (world: World): string => `/agents/${world.agents.Harbour.id}`;
const agentOf = async ({ agents, user }: World) =>
  (await callApi(server.url, user.idToken, 'agents')).agents.find(
    ({ id }) => id === agents.Harbour.id,
  );

describe('a finger', () => {
  it.each([650, 900, 1_500])(
    'that holds Stop for %i ms without a network leaves the stop queued',
    async (heldMs) => {
      const { agent, hand, page, user } = (lone ??= await openLone(server));
      await emptyQueue(page, user.uid);
      const stop = page
        .getByRole('main')
        .getByRole('button', { name: /^Stop Harbour/ })
        .first();
      await stop.waitFor();
      await pause(450);
      await hand.press(await spotOf(stop), heldMs);
      // Long enough for what would come under the finger to take it back.
      await pause(1_000);
      expect(
        (await waitingOn(page, user.uid)).map(({ agentId, intent }) => [intent, agentId]),
      ).toEqual([['stop', agent.id]]);
    },
  );

  it('finds the agents uncovered: bar and queue take less than 15 % of the screen, and the page’s end scrolls free of them', async () => {
    const world = byNetwork(false);
    const { page } = world;
    await world.restore();
    await world.go('/agents');
    await page
      .getByRole('main')
      .getByRole('button', { name: 'Stop Harbour', exact: true })
      .first()
      .click();
    await until(
      () => waitingOn(page, world.user.uid),
      (waiting) => waiting.length === 1,
    );
    // A later start of the app: the Undo is no longer offered.
    await page.reload();
    const tray = page.getByRole('region', { name: 'Commands on this device' });
    await tray.getByText('1 stop waits to be received').waitFor();
    const [dock, bar] = [
      await tray.boundingBox(),
      await page.getByRole('navigation', { name: 'Screens' }).boundingBox(),
    ];
    if (dock === null || bar === null) throw new Error('Not drawn');
    expect((bar.y + bar.height - dock.y) / 844).toBeLessThan(0.15);
    await page.evaluate(() => {
      scrollTo(0, document.documentElement.scrollHeight);
    });
    await until(
      async () => (await page.locator('footer').boundingBox())?.y ?? 0,
      (y) => y < 844,
    );
    const footer = await page.locator('footer').boundingBox();
    expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeLessThanOrEqual(dock.y);
    await page.evaluate(() => {
      scrollTo(0, 0);
    });
  });

  it('scrolls the page from a hold button', async () => {
    const world = byNetwork(false);
    const { hand, page } = world;
    await world.go(atHarbour(world));
    const sell = page.getByRole('main').getByRole('button', { name: /^Stop and sell/ });
    await sell.waitFor();
    // Cards above it still grow as their data arrives.
    let spot = await spotOf(sell);
    await until(
      async () => {
        const last = spot;
        spot = await spotOf(sell);
        return spot.x === last.x && spot.y === last.y;
      },
      (isAtRest) => isAtRest,
    );
    const { x, y } = spot;
    const before = await page.evaluate(() => scrollY);
    await hand.down({ x, y });
    for (let step = 1; step <= 10; step += 1) await hand.move({ x, y: y + step * 20 });
    await hand.up();
    await until(
      () => page.evaluate(() => scrollY),
      (now) => before - now > 80,
    );
  });

  it('is told what to do where it let go of a hold too soon', async () => {
    const world = byNetwork(false);
    const hold = world.page.getByRole('main').getByRole('button', { name: /^Stop and sell/ });
    const hint = world.page
      .getByText('Hold for a moment to stop and sell')
      .filter({ visible: true });
    // A busy machine may take so short a press for none, and the finger comes again.
    await until(
      async () => {
        await world.hand.press(await spotOf(hold), 80);
        await hint.waitFor({ timeout: 5_000 });
        return true;
      },
      (isTold) => isTold,
    );
  });

  it('halts a page that was flung on a Stop, and stops no agent; a tap there does (F106)', async () => {
    const world = byNetwork(false);
    const { hand, page } = world;
    await world.go('/agents');
    const stop = page
      .getByRole('main')
      .getByRole('button', { name: 'Stop Harbour', exact: true })
      .first();
    // A finger that came too late has tapped, or held.
    for (let tries = 1; ; tries += 1) {
      await world.restore();
      await stop.waitFor();
      world.forget();
      if (await haltOn(page, hand, stop)) break;
      if (tries === HALTS) throw new Error('No finger has halted the page');
    }
    await pause(QUIET_MS);
    expect(await world.orders()).toEqual([]);
    await hand.press(await spotOf(stop));
    await until(
      () => world.orders(),
      (orders) => orders.length > 0,
    );
    await pause(QUIET_MS);
    expect(await world.orders()).toEqual(['stop Harbour']);
    await page.reload();
  });

  it('undoes a stop that was sent by starting the agent again, and reads so before', async () => {
    const world = byNetwork(true);
    await world.restore();
    await world.go('/agents');
    const stop = world.page
      .getByRole('main')
      .getByRole('button', { name: 'Stop Harbour', exact: true })
      .first();
    await stop.waitFor();
    const before = (await agentOf(world))?.generation ?? 0;
    await world.hand.press(await spotOf(stop));
    await until(
      () => agentOf(world),
      (agent) => agent?.status === 'stopped',
    );
    const offer = world.page.getByRole('region', { name: 'Undo' });
    await offer.getByText('Harbour stopped. Undo starts it again.').waitFor();
    await pause(450);
    await world.hand.press(await spotOf(offer.getByRole('button', { name: 'Undo' })));
    await until(
      () => agentOf(world),
      (agent) => agent?.status !== 'stopped' && agent?.generation === before + 2,
    );
  });

  it('sees with the press that the screen is being left, though nothing else on it changes', async () => {
    const { go, hand, page } = byNetwork(true);
    await go('/agents');
    const agent = page.getByRole('main').getByRole('link', { name: 'Harbour' }).first();
    const shown = page.getByRole('heading', { level: 1, name: 'Harbour' });
    // Once before: a screen whose code is still to come is no screen that is left late.
    await hand.press(await spotOf(agent));
    await shown.waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    // A second press so soon after the first counts as the same.
    await pause(450);
    const spot = await spotOf(agent);
    await page.evaluate(() => {
      const main = document.querySelector('#content');
      if (main === null) throw new Error('No content');
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      new MutationObserver(() => {
        seen.push(`${getComputedStyle(main).opacity} ${location.pathname.split('/')[1] ?? ''}`);
      }).observe(main, { attributes: true, attributeFilter: ['class'] });
    });
    await hand.press(spot);
    await page.waitForURL(/\/agents\/.+/);
    await shown.waitFor();
    expect(await page.evaluate('globalThis.seen')).toEqual(['0.6 agents', '1 agents']);
  });

  it('goes on following links and turning switches', async () => {
    const { go, hand, page } = byNetwork(true);
    await go('/library');
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    await hand.press(
      await spotOf(
        page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Agents' }),
      ),
    );
    await page.waitForURL('**/agents');
    await go('/security');
    const keep = page.getByRole('switch', { name: /^Available offline/ });
    const was = await keep.getAttribute('aria-checked');
    await hand.press(await spotOf(keep));
    await until(
      () => keep.getAttribute('aria-checked'),
      (now) => now !== was,
    );
    await pause(450);
    await hand.press(await spotOf(keep));
    await until(
      () => keep.getAttribute('aria-checked'),
      (now) => now === was,
    );
  });
});

describe('a finger on a dangerous control', () => {
  it(
    'does what is meant once, and never anything else (F62)',
    async () => {
      const controls = CONTROLS.filter(({ name }) => ONLY === null || ONLY.test(name));
      const halves = HANDS / 2;
      await Promise.all(
        worlds.map((world, index) =>
          work(
            world,
            controls.filter((_control, place) => place % halves === Math.floor(index / 2)),
          ),
        ),
      );
      if (FULL)
        console.log(
          `| control | gesture | network | presses | intended | unintended | lost |\n|---|---|---|---|---|---|---|\n${tableOf(() => true)}`,
        );
      expect(
        [...counts]
          .filter(([, { lost, unintended }]) => lost > 0 || unintended > 0)
          .map(
            ([key, { lost, said, unintended }]) =>
              `${key}: ${unintended} unintended (${[...said].join(', ')}), ${lost} lost`,
          ),
      ).toEqual([]);
    },
    FULL ? 7_200_000 : 420_000,
  );
});
