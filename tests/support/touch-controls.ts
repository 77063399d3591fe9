/** Every control that acts dangerously: the way to it and what one press of it orders. */
import type { Locator } from 'playwright-core';
import { until } from './until.ts';
import { keepsData, tellOfQueue, waitingOn, type World } from './touch-world.ts';

export interface Control {
  name: string;
  /**
   * `tap`: acts by a tap. `hold`: acts by holding. `opens`: only shows what could be done, and
   * orders nothing itself.
   */
  kind: 'tap' | 'hold' | 'opens';
  where: readonly ('online' | 'offline')[];
  /**
   * Acts on the lifting of its own finger, whatever the others do. Of two fingers browsers make no
   * tap for the rest.
   */
  isSteady?: boolean;
  /** Stands over all screens, so that another screen does not take its place. */
  isOver?: boolean;
  /** What it orders where that differs by the network; null where it is off. */
  order: (online: boolean) => string | null;
  /** What was ordered, where that is not simply what was sent or is queued. */
  ordered?: (world: World) => Promise<string[]>;
  /** Brings it onto the screen. */
  ready(world: World): Promise<Locator>;
}

const BOTH = ['online', 'offline'] as const;

/** Taking back orders nothing: it is done when nothing waits any more. */
async function takenBack({ page, user }: World): Promise<string[]> {
  const left = await waitingOn(page, user.uid);
  return left.length === 0
    ? ['nothing waits']
    : left.filter(({ intent }) => intent !== 'stop').map(({ intent }) => intent);
}

/**
 * Confirming makes a new command of this moment. The old one counts as asked about by its age, also
 * before that is written down.
 */
async function confirmed({ page, user }: World): Promise<string[]> {
  return (await waitingOn(page, user.uid))
    .filter(
      ({ createdAt, state }) =>
        state !== 'needs-you' && Date.now() - (createdAt ?? 0) < 30 * 60_000,
    )
    .map(({ intent }) => `${intent} Drift, confirmed`);
}

/** A sale is one order with the stop that is queued ahead of it. */
async function sold(world: World): Promise<string[]> {
  const orders = await world.orders();
  return orders.includes('liquidate Harbour')
    ? orders.filter((order) => order !== 'stop Harbour')
    : orders;
}

const inMain = ({ page }: World, name: RegExp | string): Locator =>
  page
    .getByRole('main')
    .getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
const inDialog = ({ page }: World, name: RegExp | string): Locator =>
  page
    .getByRole('dialog')
    .getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });

async function stopOn(world: World, path: string): Promise<Locator> {
  await world.go(path);
  const stop = inMain(world, 'Stop Harbour').filter({ visible: true }).first();
  await stop.waitFor();
  return stop;
}

/** Opens what a mouse's press opens, and answers the control in it. */
async function opened(
  world: World,
  path: string,
  opener: RegExp | string,
  control: RegExp | string,
): Promise<Locator> {
  await world.go(path);
  const button = inMain(world, opener).first();
  await button.waitFor();
  await button.click();
  const found = inDialog(world, control);
  await found.waitFor();
  return found;
}

async function onPalette(world: World): Promise<Locator> {
  const { page } = world;
  await world.go('/dashboard');
  await inMain(world, 'Stop Harbour').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('stop harbour');
  const found = page.getByRole('option', { name: /^Stop Harbour/ });
  await found.waitFor();
  return found;
}

async function positionDialog(world: World, control: RegExp | string): Promise<Locator> {
  await world.go('/portfolio');
  const row = inMain(world, /Harbour/)
    .or(world.page.getByRole('main').getByRole('button', { name: /^(BTC|ETH|SOL)\b/ }))
    .first();
  await row.waitFor();
  await row.click();
  const found = inDialog(world, control);
  await found.waitFor();
  return found;
}

/** A start that has waited for 45 minutes, as it lies on the device then. */
async function lateStart(world: World): Promise<void> {
  const { agents, page, user } = world;
  await world.go(`/agents/${agents.Drift.id}`);
  await inMain(world, 'Start').click();
  await inDialog(world, 'Start').click();
  await until(
    () => waitingOn(page, user.uid),
    (waiting) => waiting.length === 1,
  );
  await page.evaluate(async (uid) => {
    const opened = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open(`tradewind-${uid}`);
      request.onsuccess = () => {
        resolve(request.result);
      };
    });
    await new Promise<void>((resolve) => {
      const change = opened.transaction('outbox', 'readwrite');
      const store = change.objectStore('outbox');
      const cursor = store.openCursor();
      cursor.onsuccess = () => {
        if (cursor.result === null) return;
        const entry = cursor.result.value as { createdAt: number };
        store.put({ ...entry, createdAt: entry.createdAt - 45 * 60_000 }, cursor.result.primaryKey);
        cursor.result.continue();
      };
      change.oncomplete = () => {
        resolve();
      };
    });
    opened.close();
  }, user.uid);
  // The app may be reading the queue as it was: it is told until it has seen the change.
  const review = inMain(world, 'Review start');
  await until(async () => {
    await tellOfQueue(page, user.uid);
    return review.isVisible();
  }, Boolean);
}

async function stopWaiting(world: World): Promise<void> {
  await world.go('/agents');
  const stop = inMain(world, 'Stop Harbour').first();
  await stop.waitFor();
  await stop.click();
  await world.page
    .getByText(/^Stop saved on this device/)
    .first()
    .waitFor();
}

async function inTray(world: World): Promise<Locator> {
  await stopWaiting(world);
  // A later start of the app: what waits is in the tray, and no longer offered.
  await world.page.reload();
  const tray = world.page.getByRole('region', { name: 'Commands on this device' });
  await tray.getByRole('button', { name: /Show$/ }).click();
  const found = tray.getByRole('button', { name: 'Undo' });
  await found.waitFor();
  return found;
}

/** What leaves nothing on the device: done when the person's database is gone from it. */
async function leftDevice({ page, user }: World): Promise<string[]> {
  return (await keepsData(page, user.uid)) ? [] : ['leave the device'];
}

async function onSecurity(world: World, name: RegExp | string): Promise<Locator> {
  await world.go('/security');
  const found = inMain(world, name);
  await found.waitFor();
  return found;
}

async function discardAndLeave(world: World): Promise<Locator> {
  await stopWaiting(world);
  await (await onSecurity(world, 'Log out')).click();
  const found = inDialog(world, 'Discard and log out');
  await found.waitFor();
  return found;
}

async function deleteAccount(world: World): Promise<Locator> {
  const found = await opened(world, '/settings', 'Delete account…', 'Delete my account');
  const dialog = world.page.getByRole('dialog');
  await dialog.getByLabel(/^Type .* to confirm/).fill('DELETE');
  await dialog.getByLabel(/password/i).fill(world.user.password);
  return found;
}

/** In the order of how soon a person may need them. */
export const CONTROLS: readonly Control[] = [
  {
    name: 'Stop, dashboard row',
    kind: 'tap',
    where: BOTH,
    isSteady: true,
    order: () => 'stop Harbour',
    ready: (world) => stopOn(world, '/dashboard'),
  },
  {
    name: 'Stop, agents row',
    kind: 'tap',
    where: BOTH,
    isSteady: true,
    order: () => 'stop Harbour',
    ready: (world) => stopOn(world, '/agents'),
  },
  {
    name: 'Stop, performance',
    kind: 'tap',
    where: BOTH,
    isSteady: true,
    order: () => 'stop Harbour',
    ready: (world) => stopOn(world, '/performance'),
  },
  {
    name: 'Stop, agent page',
    kind: 'tap',
    where: BOTH,
    isSteady: true,
    order: () => 'stop Harbour',
    async ready(world) {
      await world.go(`/agents/${world.agents.Harbour.id}`);
      const stop = inMain(world, 'Stop');
      await stop.waitFor();
      return stop;
    },
  },
  {
    name: 'Stop, palette',
    kind: 'tap',
    where: BOTH,
    isSteady: true,
    isOver: true,
    order: () => 'stop Harbour',
    ready: onPalette,
  },
  {
    name: 'Stop, position dialog',
    kind: 'tap',
    where: BOTH,
    isSteady: true,
    order: () => 'stop Harbour',
    ready: (world) => positionDialog(world, 'Stop Harbour'),
  },
  {
    name: 'Stop all, screen',
    kind: 'tap',
    where: BOTH,
    isSteady: true,
    order: () => 'stop-all',
    async ready(world) {
      await world.go('/stop-all');
      const stop = inMain(world, 'Stop all');
      await stop.waitFor();
      return stop;
    },
  },
  {
    name: 'Stop all, sheet',
    kind: 'tap',
    where: BOTH,
    isSteady: true,
    order: () => 'stop-all',
    ready: (world) => opened(world, '/agents', 'Stop all', 'Stop all'),
  },
  {
    name: 'Stop all, opens the sheet',
    kind: 'opens',
    where: BOTH,
    order: () => null,
    async ready(world) {
      await world.go('/agents');
      const open = inMain(world, 'Stop all');
      await open.waitFor();
      return open;
    },
  },
  {
    name: 'Start, opens the preview',
    kind: 'opens',
    where: BOTH,
    order: () => null,
    async ready(world) {
      await world.go('/agents');
      const open = inMain(world, 'Start Drift');
      await open.waitFor();
      return open;
    },
  },
  {
    name: 'Start',
    kind: 'tap',
    where: BOTH,
    order: () => 'start Drift',
    ready: (world) => opened(world, '/agents', 'Start Drift', 'Start'),
  },
  {
    name: 'Start, Aggressive',
    kind: 'hold',
    where: BOTH,
    order: () => 'start Gale',
    ready: (world) => opened(world, '/agents', 'Start Gale', /^Hold to start/),
  },
  // With the number it ends at: one that changes while it is held is another act, and takes none.
  {
    name: 'Start all',
    kind: 'hold',
    where: BOTH,
    order: () => 'start-all',
    ready: (world) => opened(world, '/agents', 'Start all', /^Hold to start 3\b/),
  },
  {
    name: 'Stop and sell',
    kind: 'hold',
    where: BOTH,
    order: (online) => (online ? 'liquidate Harbour' : 'stop Harbour'),
    ordered: sold,
    async ready(world) {
      await world.go(`/agents/${world.agents.Harbour.id}`);
      const sell = inMain(world, /^Stop and sell/);
      await sell.waitFor();
      return sell;
    },
  },
  {
    name: 'Delete agent',
    kind: 'hold',
    where: BOTH,
    order: (online) => (online ? 'delete Gale' : null),
    async ready(world) {
      await world.go(`/agents/${world.agents.Gale.id}`);
      const remove = inMain(world, /^Delete/);
      await remove.waitFor();
      return remove;
    },
  },
  {
    name: 'Close position',
    kind: 'hold',
    where: BOTH,
    order: (online) => (online ? 'close' : null),
    ready: (world) => positionDialog(world, /^Close position/),
  },
  {
    name: 'Reset paper account',
    kind: 'hold',
    where: BOTH,
    order: (online) => (online ? 'reset' : null),
    async ready(world) {
      await world.go('/portfolio');
      const reset = inMain(world, /^Reset paper account/);
      await reset.waitFor();
      return reset;
    },
  },
  {
    name: 'Delete account',
    kind: 'tap',
    where: ['online'],
    order: () => 'deleteAccount',
    ready: deleteAccount,
  },
  {
    name: 'Log out everywhere',
    kind: 'hold',
    where: ['online'],
    order: () => 'signOutEverywhere',
    ready: (world) => onSecurity(world, /^Log out everywhere/),
  },
  {
    name: 'Wipe this device',
    kind: 'hold',
    where: ['online'],
    order: () => 'leave the device',
    ordered: leftDevice,
    ready: (world) => onSecurity(world, /^Wipe/),
  },
  {
    name: 'Discard and log out',
    kind: 'tap',
    where: ['offline'],
    order: () => 'leave the device',
    ordered: leftDevice,
    ready: discardAndLeave,
  },
  {
    name: 'Confirm a late start',
    kind: 'tap',
    where: ['offline'],
    order: () => 'start Drift, confirmed',
    ordered: confirmed,
    ready: async (world) => {
      await lateStart(world);
      return opened(world, `/agents/${world.agents.Drift.id}`, 'Review start', 'Start now');
    },
  },
  {
    name: 'Undo, tray',
    kind: 'tap',
    isOver: true,
    where: ['offline'],
    order: () => 'nothing waits',
    ordered: takenBack,
    ready: inTray,
  },
  {
    name: 'Undo, offered',
    kind: 'tap',
    isOver: true,
    where: ['offline'],
    order: () => 'nothing waits',
    ordered: takenBack,
    async ready(world) {
      await stopWaiting(world);
      const undo = world.page
        .getByRole('region', { name: 'Undo' })
        .getByRole('button', { name: 'Undo' });
      await undo.waitFor();
      return undo;
    },
  },
];
