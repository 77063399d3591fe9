// @vitest-environment happy-dom
/** The rule of every press, finger by finger, against what browsers make of them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guardPresses } from '../../../src/platform/presses.ts';

let done: string[] = [];
let release: () => void;
let now = 1_000;

beforeEach(() => {
  document.body.innerHTML = '';
  done = [];
  now = 1_000;
  release = guardPresses(window, () => true);
});
afterEach(() => {
  release();
});

function button(name: string, marks: Record<string, string> = {}): HTMLButtonElement {
  const made = document.createElement('button');
  made.textContent = name;
  for (const [mark, value] of Object.entries(marks)) made.setAttribute(mark, value);
  made.addEventListener('click', () => {
    done.push(made.textContent ?? '');
  });
  document.body.append(made);
  return made;
}

interface How {
  finger?: number;
  at?: [number, number];
  type?: string;
  detail?: number;
  ctrlKey?: boolean;
}

/** One event as a browser makes it, at the device's time of this test. */
function make(
  name: string,
  target: Element,
  {
    at: [clientX, clientY] = [10, 10],
    detail = name === 'click' ? 1 : 0,
    finger = 1,
    type = 'touch',
    ctrlKey = false,
  }: How = {},
): void {
  const event = new PointerEvent(name, {
    bubbles: true,
    cancelable: true,
    pointerId: finger,
    pointerType: type,
    clientX,
    clientY,
    detail,
    ctrlKey,
    button: 0,
  });
  Object.defineProperty(event, 'timeStamp', { value: now });
  target.dispatchEvent(event);
}

/** A scroller has moved, at the device's time of this test. */
function scroll(scroller: Element): void {
  const event = new Event('scroll');
  Object.defineProperty(event, 'timeStamp', { value: now });
  scroller.dispatchEvent(event);
}

/** A finger comes down on one thing and is lifted over another, as its click is. */
function press(
  down: Element,
  up: Element = down,
  how: How = {},
  between: () => void = () => undefined,
): void {
  make('pointerdown', down, how);
  now += 50;
  between();
  make('pointerup', up, how);
  make('click', up, how);
}

describe('a press', () => {
  it('acts on the control it began on', () => {
    press(button('Stop'));
    expect(done).toEqual(['Stop']);
  });

  describe('on the page from the build, which the app replaces before it ends', () => {
    const replaced = (how: How, name = 'Create account'): void => {
      const main = document.createElement('main');
      const mark = document.createElement('template');
      mark.id = 'built-page';
      const early = button('Create account');
      main.append(mark, early);
      document.body.append(main);
      make('pointerdown', early, how);
      now += 50;
      main.replaceChildren(button(name));
      const [later] = main.children;
      make('pointerup', later!, how);
      // A mouse makes no click then: the node that it went down on is gone.
      if (how.type === 'touch') make('click', later!, how);
    };
    it.each(['mouse', 'touch'])('acts once, on the button that took its place (%s)', (type) => {
      replaced({ type });
      expect(done).toEqual(['Create account']);
    });
    it.each(['mouse', 'touch'])('does nothing where that does something else (%s)', (type) => {
      replaced({ type }, 'Log In');
      expect(done).toEqual([]);
    });
  });

  describe('on a link that is drawn anew under it', () => {
    const link = (href: string): HTMLAnchorElement => {
      const made = Object.assign(document.createElement('a'), { href, textContent: href });
      made.addEventListener('click', (event) => {
        event.preventDefault();
        done.push(href);
      });
      document.body.append(made);
      return made;
    };
    it('opens once what that led to, by the click of a finger', () => {
      const old = link('/agents/a');
      press(old, document.body, {}, () => {
        old.remove();
        link('/agents/a');
      });
      expect(done).toEqual(['/agents/a']);
    });
    it('opens it at the lifting of a mouse, of which no click comes, but not in a new tab', () => {
      for (const how of [{}, { ctrlKey: true }]) {
        const old = link('/agents/a');
        make('pointerdown', old, { type: 'mouse' });
        old.remove();
        const heir = link('/agents/a');
        make('pointerup', heir, { type: 'mouse', ...how });
        heir.remove();
      }
      expect(done).toEqual(['/agents/a']);
    });
    it('opens nothing where no link leads there any more', () => {
      const old = link('/agents/a');
      press(old, link('/agents/b'), {}, () => {
        old.remove();
      });
      expect(done).toEqual([]);
    });
  });

  it('does nothing on a control that has come under the finger (F62)', () => {
    const stop = button('Stop');
    const undo = button('Take back');
    press(stop, undo, {}, () => {
      stop.remove();
    });
    expect(done).toEqual([]);
  });

  it('does nothing where one node was given another act meanwhile', () => {
    const node = button('Stop');
    press(node, node, {}, () => {
      node.textContent = 'Take back';
    });
    expect(done).toEqual([]);
  });

  it('counts where only a figure has ticked, or the same act was drawn anew', () => {
    const figure = button('Explain the result −1.20');
    press(figure, figure, {}, () => {
      figure.textContent = 'Explain the result −1.30';
    });
    const old = button('Stop', { 'data-act': 'stop a' });
    const heir = button('Stop', { 'data-act': 'stop a' });
    now += 2_000;
    press(old, heir, {}, () => {
      old.remove();
    });
    expect(done).toEqual(['Explain the result −1.30', 'Stop']);
  });

  it('is not about what was inert when it began', () => {
    const start = button('Start', { 'aria-disabled': 'true' });
    press(start, start, {}, () => {
      start.removeAttribute('aria-disabled');
    });
    expect(done).toEqual([]);
  });

  it('stays with a control that has moved away under a finger that rests', () => {
    const first = button('Stop Harbour');
    const second = button('Stop Drift');
    press(first, second);
    expect(done).toEqual(['Stop Harbour']);
  });

  it('ends where the finger slides, and where the page takes it to scroll', () => {
    const stop = button('Stop', { 'data-steady': '' });
    make('pointerdown', stop);
    make('pointermove', stop, { at: [60, 10] });
    make('pointerup', stop, { at: [60, 10] });
    make('click', document.body, { at: [60, 10] });
    make('pointerdown', stop, { finger: 2 });
    make('pointercancel', stop, { finger: 2 });
    expect(done).toEqual([]);
  });
});

describe('a steady control', () => {
  it('acts when the finger lifts, with the click that follows or without it, once', () => {
    const stop = button('Stop', { 'data-steady': '' });
    press(stop);
    expect(done).toEqual(['Stop']);
    now += 2_000;
    // Pressed long, this browser makes no click of it.
    make('pointerdown', stop, { finger: 2 });
    now += 1_500;
    make('pointerup', stop, { finger: 2 });
    expect(done).toEqual(['Stop', 'Stop']);
  });

  describe('that comes to rest under a finger, after a list was flung', () => {
    /** `heardLate`: a busy page hears of the list only after the finger has come down. */
    const halted = (stop: Element, heldMs: number, heardLate = false): void => {
      const list = document.createElement('ul');
      document.body.append(list);
      if (!heardLate) scroll(list);
      now += 20;
      make('pointerdown', stop);
      if (heardLate) scroll(list);
      now += heldMs;
      make('pointerup', stop);
    };
    it.each([false, true])('does nothing without the browser’s click (late: %s)', (heardLate) => {
      halted(button('Stop', { 'data-steady': '' }), 60, heardLate);
      expect(done).toEqual([]);
    });
    it('acts once where the click comes, as after a scroll by the app', () => {
      const stop = button('Stop', { 'data-steady': '' });
      halted(stop, 60);
      make('click', stop);
      expect(done).toEqual(['Stop']);
    });
    it('acts once where that click meets what has come under the finger', () => {
      const stop = button('Stop Harbour', { 'data-steady': '' });
      halted(stop, 60);
      make('click', button('Stop Drift', { 'data-steady': '' }));
      expect(done).toEqual(['Stop Harbour']);
    });
    it('acts once where the finger stays, with a click or without', () => {
      const stop = button('Stop', { 'data-steady': '' });
      halted(stop, 650);
      expect(done).toEqual(['Stop']);
      make('click', stop);
      expect(done).toEqual(['Stop']);
    });
    it('acts where another finger is down too: of two there is no click', () => {
      const [list, stop] = [document.createElement('ul'), button('Stop', { 'data-steady': '' })];
      document.body.append(list);
      scroll(list);
      now += 20;
      make('pointerdown', stop);
      make('pointerdown', list, { finger: 2 });
      now += 60;
      make('pointerup', stop);
      make('pointerup', list, { finger: 2 });
      expect(done).toEqual(['Stop']);
    });
    it('acts at the lifting again once the list has rested', () => {
      const stop = button('Stop', { 'data-steady': '' });
      halted(stop, 60);
      now += 500;
      make('pointerdown', stop, { finger: 2 });
      now += 60;
      make('pointerup', stop, { finger: 2 });
      expect(done).toEqual(['Stop']);
    });
  });
});

describe('each finger', () => {
  it('has a press of its own', () => {
    const stop = button('Stop');
    const other = button('Edit');
    make('pointerdown', other, { finger: 1, at: [200, 200] });
    make('pointerdown', stop, { finger: 2 });
    make('pointerup', stop, { finger: 2 });
    make('click', stop, { finger: 2 });
    expect(done).toEqual(['Stop']);
    make('pointerup', stop, { finger: 1 });
    make('click', stop, { finger: 1 });
    expect(done).toEqual(['Stop']);
  });
});

describe('the second tap of a double tap', () => {
  it('does nothing on what the first has brought, and everything on the same control', () => {
    const start = button('Start Drift');
    press(start);
    const dialog = button('Start');
    now += 120;
    press(dialog, dialog, { finger: 2 });
    expect(done).toEqual(['Start Drift']);
    now += 2_000;
    press(dialog, dialog, { finger: 3 });
    now += 120;
    press(dialog, dialog, { finger: 4 });
    expect(done).toEqual(['Start Drift', 'Start', 'Start']);
  });

  it('is no matter of a mouse, nor of another place', () => {
    const first = button('First');
    const second = button('Second');
    press(first, first, { type: 'mouse' });
    now += 100;
    press(second, second, { type: 'mouse' });
    press(first, first, { finger: 5 });
    now += 100;
    press(second, second, { finger: 6, at: [200, 10] });
    expect(done).toEqual(['First', 'Second', 'First', 'Second']);
  });
});

describe('what is no press', () => {
  it('goes on working: a key, a screen reader, the app itself', () => {
    const stop = button('Stop');
    make('click', stop, { detail: 0 });
    stop.click();
    make('click', stop, { detail: 1, finger: 0 });
    expect(done).toEqual(['Stop', 'Stop', 'Stop']);
  });

  it('goes on working after a press that made no click', () => {
    const stop = button('Stop');
    const edit = button('Edit');
    make('pointerdown', edit);
    make('pointerup', edit);
    now += 1_500;
    make('click', stop, { detail: 1, finger: 0 });
    expect(done).toEqual(['Stop']);
  });

  it('is the click that a label hands on to its field', () => {
    document.body.innerHTML = '<label><span>Keep</span><input type="checkbox"></label>';
    const [words, box] = [document.querySelector('span'), document.querySelector('input')];
    if (words === null || box === null) throw new Error('not drawn');
    press(words);
    expect(box.checked).toBe(true);
  });
});
