/**
 * A person with a phone whose network comes and goes: they look, press Stop and Start by finger, and
 * put it away; seeded, so that a day can be lived again.
 */
import type { CDPSession, Page, Request } from 'playwright-core';
import type { Agent } from '../../../contract/agents.ts';
import { controlled, openBrowser, type Browser } from '../browser.ts';
import { databasesOf, queueOf, type QueuedRecord } from '../device.ts';
import { openFinger, type Finger } from '../finger.ts';
import { RECORDER, type Change } from '../queue-scripts.ts';
import type { TestUser } from '../server.ts';
import { logIn } from '../sign-in.ts';
import { PHONE } from '../touch.ts';
import { until } from '../until.ts';
import { hide, HIDEABLE, show, type HiddenTurn } from './hidden-page.ts';

const SCREENS = ['/dashboard', '/agents', '/market', '/portfolio', '/analytics', '/performance'];
/** What was begun before is finished: a reply is written down, a notice goes. */
const SETTLES_MS = 8_000;
const JUDGED_MS = 6_000;
/** How long an agent's page may take to show what can be done. */
const OFFERED_MS = 5_000;
/**
 * Firebase compares its stored sign-in with what other tabs made of it, in hidden pages too. It has
 * to: a hidden tab that renewed an ended sign-in would put it over the new one.
 */
const PROVIDERS_OWN = /\bstartPolling\b/;

export interface PhoneOptions {
  url: string;
  user: TestUser;
  agents: readonly Agent[];
  roll: () => number;
}

/** What lies on the device of the parts that must not drift. */
export interface OnDevice {
  portfolio: Snapshot;
  agents: Snapshot;
}
type Snapshot = { value: Record<string, unknown> } | undefined;

export class Phone {
  /** Every command that the device has saved, and those that were taken back before they left. */
  readonly saved = new Map<string, QueuedRecord>();
  readonly takenBack = new Set<string>();
  /** What turned and what was asked while the phone had been put away for a while. */
  readonly turns: HiddenTurn[] = [];
  readonly asked: string[] = [];
  presses = 0;
  tunnels = 0;
  pockets = 0;
  private online = true;

  private constructor(
    private readonly options: PhoneOptions,
    readonly browser: Browser,
    readonly page: Page,
    private readonly finger: Finger,
    readonly session: CDPSession,
  ) {}

  static async open(options: PhoneOptions): Promise<Phone> {
    const browser = await openBrowser({ viewport: PHONE });
    const held: { phone: Phone | null } = { phone: null };
    await browser.context.exposeBinding('queueChanged', (_source, change: Change) => {
      held.phone?.took(change);
    });
    await browser.context.addInitScript(RECORDER);
    await browser.context.addInitScript(HIDEABLE);
    const page = await browser.page();
    const finger = await openFinger(page);
    const session = await browser.context.newCDPSession(page);
    const phone = new Phone(options, browser, page, finger, session);
    held.phone = phone;
    await logIn(page, options.url, options.user);
    await controlled(page);
    return phone;
  }

  /** One thing that a person does with it. */
  async live(): Promise<void> {
    const { roll } = this.options;
    const what = roll();
    if (what < 0.2) await this.enterOrLeaveTunnel();
    else if (what < 0.5) await this.press();
    else if (what < 0.65) await this.pocket(1_500 + roll() * 4_000);
    else await this.go(this.pick(SCREENS));
    await this.page.waitForTimeout(300 + roll() * 1_500);
  }

  /** Out of the tunnel, and everything delivered. */
  async comeOut(): Promise<void> {
    if (!this.online) await this.enterOrLeaveTunnel();
    await until(
      () => this.unsent(),
      (waiting) => waiting.length === 0,
    );
  }

  /** Put away for a while. */
  async pocket(forMs: number): Promise<HiddenTurn[]> {
    await hide(this.page);
    await this.page.waitForTimeout(forMs);
    this.pockets += 1;
    return show(this.page);
  }

  /** Put away long enough to have finished what was begun; nothing waits to be sent. */
  async rest(): Promise<void> {
    const hiddenAt = Date.now();
    const note = (request: Request): void => {
      if (Date.now() - hiddenAt > SETTLES_MS) this.asked.push(request.url());
    };
    this.page.on('request', note);
    const turns = await this.pocket(SETTLES_MS + JUDGED_MS);
    this.page.off('request', note);
    this.turns.push(
      ...turns.filter(({ afterMs, setBy }) => afterMs > SETTLES_MS && !PROVIDERS_OWN.test(setBy)),
    );
  }

  /** Written down as it is put away. */
  async onDevice(): Promise<OnDevice> {
    await hide(this.page);
    await this.page.waitForTimeout(300);
    const kept = (await this.page.evaluate(async (uid) => {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(`tradewind-${uid}`);
        request.onsuccess = () => {
          resolve(request.result);
        };
        request.onerror = () => {
          reject(request.error ?? new Error('open failed'));
        };
      });
      const read = (kind: string): Promise<unknown> =>
        new Promise((resolve, reject) => {
          const request = db.transaction('snapshots').objectStore('snapshots').get(kind);
          request.onsuccess = () => {
            resolve(request.result);
          };
          request.onerror = () => {
            reject(request.error ?? new Error('read failed'));
          };
        });
      const found = { portfolio: await read('portfolio'), agents: await read('agents') };
      db.close();
      return found;
    }, this.options.user.uid)) as OnDevice;
    await show(this.page);
    return kept;
  }

  /** From inside the app: the shell needs no network for it. */
  async go(path: string): Promise<void> {
    await this.page.evaluate((to) => {
      if (location.pathname === to) return;
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
    await this.page.getByRole('heading', { level: 1 }).first().waitFor();
  }

  /** How large everything is that lies on the device, as text. */
  async keptBytes(): Promise<number> {
    return JSON.stringify(await databasesOf(this.page)).length;
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  private took(change: Change): void {
    for (const entry of change.puts) this.saved.set(entry.commandId, entry);
    for (const gone of change.deletes)
      // A stop takes back a start that has not left.
      if (gone.attempts === 0 && change.puts.length > 0) this.takenBack.add(gone.commandId);
  }

  private async unsent(): Promise<QueuedRecord[]> {
    const queue = await queueOf(this.page, this.options.user.uid);
    return queue.filter(({ state }) => state === 'saved' || state === 'sending');
  }

  private async enterOrLeaveTunnel(): Promise<void> {
    this.online = !this.online;
    if (!this.online) this.tunnels += 1;
    await this.browser.context.setOffline(!this.online);
  }

  /** Stop or Start on the page of an agent, whichever it offers. */
  private async press(): Promise<void> {
    const { page, finger } = this;
    const agent = this.pick(this.options.agents);
    await this.go(`/agents/${agent.id}`);
    const main = page.getByRole('main');
    const stop = main.getByRole('button', { name: 'Stop', exact: true });
    const start = main.getByRole('button', { name: 'Start', exact: true });
    const offers = await stop
      .or(start)
      .first()
      .waitFor({ timeout: OFFERED_MS })
      .then(
        () => true,
        () => false,
      );
    // An agent whose command waits on the device offers neither.
    if (!offers) return;
    if (await stop.isVisible()) await finger.tap(stop);
    else {
      await finger.tap(start);
      await finger.tap(
        page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }),
      );
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    this.presses += 1;
  }

  private pick<T>(list: readonly T[]): T {
    const one = list[Math.floor(this.options.roll() * list.length)];
    if (one === undefined) throw new RangeError('Nothing to pick from');
    return one;
  }
}
