// @vitest-environment happy-dom
/** Presses of Stop before the app's code: by finger, mouse and key, each saved once and shown. */
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isSavedInTime, StopCatcher } from '../../../src/first-frame/catch-stops.ts';
import { PRESSES_KEY, type FramePress } from '../../../src/offline/frame-record.ts';

const AGENTS = [
  { id: 'a', name: 'Harbour', generation: 4 },
  { id: 'b', name: 'Drift', generation: 1 },
];
let root: Element;
let catcher: StopCatcher;

function makeDatabase(): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.open('tradewind-ada', 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('meta');
    };
    request.onsuccess = () => {
      request.result.close();
      resolve();
    };
  });
}

const savedPresses = (): Promise<FramePress[]> =>
  new Promise((resolve) => {
    const request = indexedDB.open('tradewind-ada');
    request.onsuccess = () => {
      const read = request.result.transaction('meta').objectStore('meta').get(PRESSES_KEY);
      read.onsuccess = () => {
        request.result.close();
        resolve((read.result ?? []) as FramePress[]);
      };
    };
  });

const stopOf = (id: string): HTMLElement => {
  const button = root.querySelector<HTMLElement>(`[data-act="stop ${id}"]`);
  if (button === null) throw new Error(`No Stop of ${id}`);
  return button;
};
const pointer = (target: Element, type: string, x = 5, pointerId = 1): void => {
  target.dispatchEvent(
    new PointerEvent(type, { bubbles: true, isPrimary: true, pointerId, clientX: x, clientY: 5 }),
  );
};
const settled = async (): Promise<boolean[]> =>
  Promise.all(catcher.caught.map(({ saved }) => saved));

beforeEach(async () => {
  vi.stubGlobal('indexedDB', new IDBFactory());
  await makeDatabase();
  document.body.innerHTML = `<div id="root">
    <button data-act="stop a" title="Stop Harbour"><svg></svg></button>
    <button data-act="stop a"><span>Stop</span></button>
    <button data-act="stop b" aria-label="Stop Drift"></button>
    <button data-act="start b">Start</button></div>`;
  const found = document.querySelector('#root');
  if (found === null) throw new Error('no root');
  root = found;
  catcher = new StopCatcher('ada', root, AGENTS, []);
});
afterEach(() => {
  catcher.close();
});

/** The app replaces the frame; a tap on that is heard only then, and by what lies there now. */
function tapHeardLate(x: number, y: number, more: PointerEventInit = {}) {
  catcher.handOver();
  root.innerHTML = '<button>Something else</button>';
  const stopped: string[] = [];
  const followed: string[] = [];
  catcher.end(
    ({ press }) => stopped.push(press.agentId),
    (href) => followed.push(href),
  );
  const there = root.children[0]!;
  const acted = vi.fn();
  there.addEventListener('click', acted);
  for (const [type, at] of [
    ['pointerdown', 1],
    ['pointerup', 40],
    ['click', 40],
  ] as const) {
    const event = new PointerEvent(type, {
      ...{ bubbles: true, cancelable: true, isPrimary: true, pointerId: 1 },
      ...{ clientX: x, clientY: y, detail: type === 'click' ? 1 : 0, ...more },
    });
    Object.defineProperty(event, 'timeStamp', { value: at });
    Object.defineProperty(event, 'isTrusted', { value: true });
    there.dispatchEvent(event);
  }
  expect(acted).not.toHaveBeenCalled();
  return { stopped, followed };
}

describe('a link on the first frame', () => {
  const link = (): HTMLElement => {
    root.insertAdjacentHTML('beforeend', '<p><a href="/agents/a"><b>Harbour</b></a></p>');
    const made = root.querySelector('a')!;
    vi.spyOn(made, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 100, 80, 30));
    return made;
  };

  it('is followed where a busy page hears of the tap after the app has replaced it', () => {
    link();
    expect(tapHeardLate(10, 110)).toEqual({ stopped: [], followed: ['/agents/a'] });
  });

  it('is not followed by a tap beside it', () => {
    link();
    expect(tapHeardLate(10, 140)).toEqual({ stopped: [], followed: [] });
  });

  it('is left to the browser where a tap asks for a new tab', () => {
    link();
    expect(tapHeardLate(10, 110, { ctrlKey: true })).toEqual({ stopped: [], followed: [] });
  });

  it('is followed where the app replaces it under the finger', () => {
    pointer(link().firstElementChild!, 'pointerdown');
    catcher.handOver();
    root.innerHTML = '';
    const followed: string[] = [];
    catcher.end(vi.fn(), (href) => followed.push(href));
    pointer(root, 'pointerup');
    expect(followed).toEqual(['/agents/a']);
  });

  it('is the browser’s to follow while it stands', () => {
    const made = link();
    const acted = vi.fn((event: Event) => {
      event.preventDefault();
    });
    made.addEventListener('click', acted);
    pointer(made, 'pointerdown');
    pointer(made, 'pointerup');
    const click = new PointerEvent('click', { bubbles: true, cancelable: true, detail: 1 });
    Object.defineProperty(click, 'isTrusted', { value: true });
    made.dispatchEvent(click);
    expect(acted).toHaveBeenCalledTimes(1);
    expect(catcher.caught).toEqual([]);
  });
});

describe('a Stop on the first frame', () => {
  it('is saved as soon as the finger lifts, and says so on every Stop of that agent', async () => {
    pointer(stopOf('a'), 'pointerdown');
    expect(catcher.caught).toEqual([]);
    pointer(stopOf('a'), 'pointerup');
    expect(stopOf('a').getAttribute('aria-disabled')).toBe('true');
    expect(root.textContent).not.toContain('saved');
    expect(await settled()).toEqual([true]);
    expect(await savedPresses()).toEqual([
      {
        commandId: catcher.caught[0]?.press.commandId,
        agentId: 'a',
        agentName: 'Harbour',
        seenGeneration: 4,
        pressedAt: expect.any(Number) as number,
      },
    ]);
    const [icon, word] = root.querySelectorAll('[data-act="stop a"]');
    expect(icon?.getAttribute('title')).toBe('Stop saved');
    expect(word?.textContent).toBe('Stop saved');
    expect(root.querySelector('[role="status"]')?.textContent).toBe(
      'Harbour: stop saved, not sent yet.',
    );
    expect(stopOf('b').hasAttribute('aria-disabled')).toBe(false);
  });

  it('counts once, however often it is pressed', async () => {
    for (let tap = 0; tap < 3; tap += 1) {
      pointer(stopOf('a'), 'pointerdown');
      pointer(stopOf('a'), 'pointerup');
      stopOf('a').click();
    }
    stopOf('b').click();
    await settled();
    expect((await savedPresses()).map(({ agentId }) => agentId)).toEqual(['a', 'b']);
  });

  it('is none where the finger slides off, the browser takes it to scroll, or another lifts', async () => {
    pointer(stopOf('a'), 'pointerdown');
    pointer(stopOf('a'), 'pointerup', 40);
    pointer(stopOf('a'), 'pointerdown');
    pointer(stopOf('a'), 'pointercancel');
    pointer(stopOf('a'), 'pointerup');
    pointer(stopOf('b'), 'pointerdown');
    pointer(stopOf('b'), 'pointerup', 5, 2);
    expect(catcher.caught).toEqual([]);
    expect(await savedPresses()).toEqual([]);
  });

  describe('under a finger that halts a list that was flung', () => {
    const heard = (event: Event, timeStamp: number, target: EventTarget): void => {
      Object.defineProperty(event, 'timeStamp', { value: timeStamp });
      Object.defineProperty(event, 'isTrusted', { value: true });
      target.dispatchEvent(event);
    };
    const DOWN_AT = 5_000;
    const finger = (type: string, timeStamp: number, target: EventTarget): void => {
      const how = { bubbles: true, isPrimary: true, pointerId: 1, clientX: 5, clientY: 5 };
      heard(
        new PointerEvent(type, { ...how, detail: type === 'click' ? 1 : 0 }),
        timeStamp,
        target,
      );
    };
    const halted = (heldMs: number, stop: Element = stopOf('a')): void => {
      heard(new Event('scroll'), DOWN_AT - 20, root);
      finger('pointerdown', DOWN_AT, stop);
      finger('pointerup', DOWN_AT + heldMs, stop);
    };
    const agentIds = (): string[] => catcher.caught.map(({ press }) => press.agentId);

    it('is none without the browser’s click', () => {
      halted(60);
      expect(agentIds()).toEqual([]);
    });

    it('counts once where the click comes, which goes no further', () => {
      const acted = vi.fn();
      stopOf('a').addEventListener('click', acted);
      halted(60);
      finger('click', DOWN_AT + 60, stopOf('a'));
      expect(agentIds()).toEqual(['a']);
      expect(catcher.caught[0]?.byKey).toBe(false);
      expect(acted).not.toHaveBeenCalled();
    });

    it('does not count by a key, which does what it is meant for', () => {
      const start = root.querySelector('[data-act="start b"]')!;
      const acted = vi.fn();
      start.addEventListener('click', acted);
      halted(60);
      const key = new MouseEvent('click', { bubbles: true, cancelable: true, detail: 0 });
      heard(key, DOWN_AT + 400, start);
      expect(agentIds()).toEqual([]);
      expect(acted).toHaveBeenCalledTimes(1);
    });

    it('counts where the app replaces the frame before the click', () => {
      finger('pointerdown', DOWN_AT, stopOf('a'));
      heard(new Event('scroll'), DOWN_AT + 5, root);
      catcher.handOver();
      root.innerHTML = '<button data-act="start b">Start</button>';
      const [start] = root.children;
      const acted = vi.fn();
      start!.addEventListener('click', acted);
      const handed: string[] = [];
      catcher.end(({ press }) => handed.push(press.agentId), vi.fn());
      finger('pointerup', DOWN_AT + 60, start!);
      expect(handed).toEqual([]);
      finger('click', DOWN_AT + 60, start!);
      expect(handed).toEqual(['a']);
      expect(acted).not.toHaveBeenCalled();
    });

    it('counts once where the finger stays, with a click or without', () => {
      halted(650);
      expect(agentIds()).toEqual(['a']);
      finger('click', DOWN_AT + 650, stopOf('a'));
      expect(agentIds()).toEqual(['a']);
    });

    it('has no claim on the click of the next press', () => {
      const start = root.querySelector('[data-act="start b"]')!;
      const acted = vi.fn();
      start.addEventListener('click', acted);
      halted(60);
      for (const type of ['pointerdown', 'pointerup', 'click']) finger(type, DOWN_AT + 500, start);
      expect(agentIds()).toEqual([]);
      expect(acted).toHaveBeenCalledTimes(1);
    });

    it('that the app follows is no press of a key', () => {
      catcher.handOver();
      finger('click', DOWN_AT, stopOf('a'));
      expect(catcher.caught.map(({ byKey }) => byKey)).toEqual([false]);
    });
  });

  it('still counts when the app takes the page over under the finger', async () => {
    const button = stopOf('a');
    pointer(button, 'pointerdown');
    catcher.handOver();
    root.innerHTML = '<button data-act="stop a">Stop</button>';
    const handed: string[] = [];
    catcher.end(({ press }) => handed.push(press.agentId), vi.fn());
    pointer(document.body, 'pointerup');
    expect(await settled()).toEqual([true]);
    expect(handed).toEqual(['a']);
  });

  it('is left to the app where the press begins after the hand-over, unless the app clicks the frame', async () => {
    catcher.handOver();
    pointer(stopOf('a'), 'pointerdown');
    pointer(stopOf('a'), 'pointerup');
    expect(catcher.caught).toEqual([]);
    stopOf('a').click();
    expect(await settled()).toEqual([true]);
    expect(catcher.caught[0]?.byKey).not.toBe(true);
  });

  it('that a busy page hears of late is one on the frame: what lies there by then does nothing', async () => {
    const place = { left: 300, right: 340, top: 100, bottom: 140 };
    vi.spyOn(stopOf('b'), 'getBoundingClientRect').mockReturnValue(place as DOMRect);
    catcher.handOver();
    const early = { timeStamp: 1, clientX: 320, clientY: 120 };
    root.innerHTML = '<button data-act="stop a">Stop</button>';
    const handed: string[] = [];
    catcher.end(({ press }) => handed.push(press.agentId), vi.fn());
    const acted = vi.fn();
    for (const type of ['pointerdown', 'pointerup', 'click'])
      stopOf('a').addEventListener(type, acted);
    const late = (type: string, at: number): void => {
      const event = new PointerEvent(type, {
        bubbles: true,
        isPrimary: true,
        pointerId: 1,
        clientX: early.clientX,
        clientY: early.clientY,
      });
      Object.defineProperty(event, 'timeStamp', { value: at });
      stopOf('a').dispatchEvent(event);
    };
    late('pointerdown', early.timeStamp);
    late('pointerup', performance.now());
    expect(acted).not.toHaveBeenCalled();
    expect(handed).toEqual(['b']);
    await settled();
    // A press that begins now is the app's.
    late('pointerdown', performance.now() + 5);
    expect(acted).toHaveBeenCalledTimes(1);
  });

  it('is not one where a finger that is heard late was on what lies over it', () => {
    vi.spyOn(stopOf('b'), 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 40, 40));
    root.insertAdjacentHTML('beforeend', '<nav class="fixed"><i></i></nav>');
    const bar = vi.spyOn(root.querySelector('nav')!, 'getBoundingClientRect');
    bar.mockReturnValue(new DOMRect(0, 20, 40, 40));
    expect(tapHeardLate(10, 30)).toEqual({ stopped: [], followed: [] });
  });

  it('is none by another button of the mouse that is heard late', () => {
    vi.spyOn(stopOf('b'), 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 40, 40));
    expect(tapHeardLate(10, 10, { button: 2 })).toEqual({ stopped: [], followed: [] });
  });

  it('is one with a key held down, also where it is heard late', () => {
    vi.spyOn(stopOf('b'), 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 40, 40));
    expect(tapHeardLate(10, 10, { shiftKey: true })).toEqual({ stopped: ['b'], followed: [] });
  });

  it('leaves its click to the press after one of a mouse that had none', () => {
    root.insertAdjacentHTML('beforeend', '<a href="/agents/a">Harbour</a>');
    pointer(root.querySelector('a')!, 'pointerdown');
    catcher.handOver();
    root.innerHTML = '<button>Stop all</button>';
    const followed: string[] = [];
    catcher.end(vi.fn(), (href) => followed.push(href));
    pointer(root, 'pointerup');
    expect(followed).toEqual(['/agents/a']);
    const next = root.children[0]!;
    const acted = vi.fn();
    next.addEventListener('click', acted);
    for (const type of ['pointerdown', 'pointerup', 'click']) {
      const how = { bubbles: true, isPrimary: true, pointerId: 1, detail: 1 };
      const event = new PointerEvent(type, how);
      Object.defineProperty(event, 'timeStamp', { value: performance.now() + 200 });
      Object.defineProperty(event, 'isTrusted', { value: true });
      next.dispatchEvent(event);
    }
    expect(acted).toHaveBeenCalledTimes(1);
  });

  it('is none by another button of the mouse', () => {
    const how = { bubbles: true, isPrimary: true, pointerId: 1, button: 2 };
    for (const type of ['pointerdown', 'pointerup'])
      stopOf('a').dispatchEvent(new PointerEvent(type, how));
    expect(catcher.caught).toEqual([]);
  });

  it('is handed on unsaved where the device cannot save it, and does not claim to be saved', async () => {
    vi.stubGlobal('indexedDB', new IDBFactory());
    stopOf('a').click();
    expect(await settled()).toEqual([false]);
    expect(root.textContent).not.toContain('saved');
    expect(await indexedDB.databases()).toEqual([]);
  });

  it('of which the disk has not said anything after five seconds counts as not saved, and is not saved once the app sends it (F109)', async () => {
    const db = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open('tradewind-ada');
      request.onsuccess = () => {
        resolve(request.result);
      };
    });
    // Another tab's transaction that does not end.
    const holding = db.transaction('meta', 'readwrite');
    let isHeld = true;
    const ask = (): void => {
      if (isHeld) holding.objectStore('meta').count().onsuccess = ask;
    };
    ask();
    pointer(stopOf('a'), 'pointerdown');
    pointer(stopOf('a'), 'pointerup');
    const [caught] = catcher.caught;
    if (caught === undefined) throw new Error('Nothing was caught');
    const began = performance.now();
    expect(await isSavedInTime(caught)).toBe(false);
    expect(performance.now() - began).toBeGreaterThan(4_000);
    expect(caught.isLate, 'no app has come to send it').toBe(false);
    caught.isLate = true;
    isHeld = false;
    expect(await caught.saved).toBe(false);
    db.close();
    // The queue must not find it, long after the app has sent it.
    expect(await savedPresses()).toEqual([]);
  }, 20_000);

  it('pressed at an earlier start and not taken over yet is shown as saved', () => {
    catcher.close();
    catcher = new StopCatcher('ada', root, AGENTS, [
      { commandId: 'c', agentId: 'b', agentName: 'Drift', seenGeneration: 1, pressedAt: 5 },
    ]);
    expect(stopOf('b').getAttribute('aria-label')).toBe('Stop saved: Drift');
    stopOf('b').click();
    expect(catcher.caught).toEqual([]);
  });
});
