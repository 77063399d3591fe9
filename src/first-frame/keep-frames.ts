/**
 * Keeps the last frame of the first screens on this device: drawn in idle moments, and when the app
 * is hidden.
 */
import { subscribe } from 'valtio';
import { keepsSnapshots, queue } from '../commands.ts';
import { session } from '../identity/session.ts';
import { shownFrameMark } from './first-frame.ts';
import { presentPage } from './show-frame.ts';
import {
  FRAME_PATHS,
  frameMark,
  type FramePath,
  type FrameRecord,
} from '../offline/frame-record.ts';
import { writeFrame } from '../offline/frames.ts';
import { idle } from '../platform/breathe.ts';
import { log } from '../platform/page-log.ts';
import { agentsStore } from '../stores/agents-store.ts';
import { historyStore } from '../stores/fills-store.ts';
import { portfolioStore } from '../stores/portfolio-store.ts';
import { subscriptionStore } from '../stores/subscription-store.ts';
import { routeOf } from '../shell/routes.ts';

/** A change of what agents do is drawn soon, prices only now and then. */
const SOON_MS = 1_000;
const CALM_MS = 30_000;

type Draw = (path: FramePath) => string;

/** What draws, and the screens it draws: a large part of React, so it comes when a frame is due. */
async function loadDraw(): Promise<Draw> {
  const [{ drawScreen }] = await Promise.all([
    import('./draw-frames.tsx'),
    // Without one of them its place would be drawn in place of the screen.
    ...FRAME_PATHS.map((path) => routeOf(path)?.load()),
  ]);
  return drawScreen;
}

/** What a frame says of agents and queue; null while the server's word on them is not here. */
function presentFacts(): Pick<FrameRecord, 'agents' | 'mark'> | null {
  const { data } = agentsStore;
  const isKnown =
    portfolioStore.data !== null && historyStore.data !== null && subscriptionStore.data !== null;
  if (data === null || !isKnown || session.status !== 'signed-in') return null;
  const waiting = queue.entries.filter(({ state }) => state !== 'accepted');
  return {
    agents: data.agents.map(({ id, name, generation }) => ({ id, name, generation })),
    mark: frameMark(
      data.agents,
      waiting.map(({ commandId }) => commandId),
    ),
  };
}

/** All that a frame waits for, the plan among them, which may come last on a day without prices. */
const STORES = [agentsStore, portfolioStore, historyStore, subscriptionStore, queue, session];

class FrameKeeper {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private dueAt = Infinity;
  /** A frame that this start has shown is on the device as it would be drawn. */
  private drawnMark = shownFrameMark();
  private draw: Draw | null = null;

  constructor() {
    for (const store of STORES)
      subscribe(store, () => {
        this.schedule();
      });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.keepAll();
    });
    this.schedule();
  }

  private schedule(): void {
    const facts = presentFacts();
    // Being hidden has drawn what there was.
    if (facts === null || document.visibilityState === 'hidden') return;
    this.keepIn(facts.mark === this.drawnMark ? CALM_MS : SOON_MS, facts.mark);
  }

  private keepIn(delayMs: number, mark: string): void {
    const at = Date.now() + delayMs;
    if (at >= this.dueAt) return;
    clearTimeout(this.timer);
    this.dueAt = at;
    this.timer = setTimeout(() => {
      this.dueAt = Infinity;
      void this.withDraw(() => {
        this.drawnMark = mark;
        this.keepInTurn(FRAME_PATHS);
      });
    }, delayMs);
  }

  /** A disk that rests takes it later. On a quiet day nothing else would set it off. */
  private keepLater(): void {
    const facts = presentFacts();
    if (facts !== null && keepsSnapshots()) this.keepIn(CALM_MS, facts.mark);
  }

  private async withDraw(work: () => void): Promise<void> {
    try {
      this.draw ??= await loadDraw();
    } catch (error) {
      log.warn('What draws the last frames could not be loaded', error);
      this.keepLater();
      return;
    }
    work();
  }

  /** One screen at a time, so that nobody waits for more than one. */
  private keepInTurn([path, ...rest]: readonly FramePath[]): void {
    if (path === undefined) return;
    void idle().then(() => {
      this.keep(path);
      this.keepInTurn(rest);
    });
  }

  private keepAll(): void {
    clearTimeout(this.timer);
    this.dueAt = Infinity;
    const all = (): void => {
      for (const path of FRAME_PATHS) this.keep(path);
    };
    if (this.draw === null) void this.withDraw(all);
    else all();
  }

  private keep(path: FramePath): void {
    const facts = presentFacts();
    const uid = session.user?.uid;
    if (facts === null || uid === undefined || this.draw === null) return;
    const failed = (error: unknown): void => {
      log.warn('The last frame could not be kept', error);
    };
    try {
      const record = { ...presentPage(), ...facts, html: this.draw(path) };
      writeFrame(uid, path, record).then((isKept) => {
        if (!isKept) this.keepLater();
      }, failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** Begins to keep frames. Called once, after the first paint. */
export function openFrames(): void {
  new FrameKeeper();
}
