// @vitest-environment happy-dom
/** What the app takes over from a page of the build: texts, the cursor, and an early press. */
import '../../support/page-world.ts';
import { act, cleanup, render } from '@testing-library/react';
import { useLayoutEffect } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { typedEarly } from '../../../src/shell/built-page.ts';
import { RouteChange } from '../../../src/shell/RouteChange.tsx';

const moves: number[] = [];
Object.assign(globalThis, { scrollTo: (_x: number, y: number) => moves.push(y) });

const onPress = vi.fn();

/** As a form's screen reads it: while it is drawn. */
function Form() {
  return (
    <main id="content" tabIndex={-1}>
      <input name="code" defaultValue={typedEarly('code')} />
      <button type="button" onClick={onPress}>
        Go on
      </button>
    </main>
  );
}

const App = ({ path }: { path: string }) => (
  <>
    <Form />
    <RouteChange path={path} title="A form" />
  </>
);

function layBuiltPage(pressed?: string): HTMLElement {
  document.body.innerHTML =
    `<div id="root"><template id="built-page"${pressed === undefined ? '' : ` data-pressed="${pressed}"`}></template>` +
    '<main id="content" tabindex="-1"><input name="code"><button>Go on</button></main></div>';
  return document.getElementById('root') ?? document.body;
}

/** Draws the app in the page's place, as `createRoot` does. */
function takeOver(root: HTMLElement) {
  return render(<App path="/login" />, { container: root });
}

beforeEach(() => {
  moves.length = 0;
  onPress.mockClear();
});
afterEach(() => {
  cleanup();
  document.body.innerHTML = '';
});

describe('a page from the build that the app takes over', () => {
  it('keeps its text, its cursor and its place', () => {
    const root = layBuiltPage();
    const field = root.querySelector('input');
    if (field === null) throw new Error('No field');
    field.value = 'abcdef';
    field.focus();
    field.setSelectionRange(2, 4);
    takeOver(root);
    const taken = document.activeElement as HTMLInputElement;
    expect(taken).not.toBe(field);
    expect([taken.name, taken.value, taken.selectionStart, taken.selectionEnd]).toEqual([
      'code',
      'abcdef',
      2,
      4,
    ]);
    expect(moves).toEqual([]);
    expect(onPress).not.toHaveBeenCalled();
  });

  it('has its cursor with the picture, before the browser can take another letter', () => {
    const root = layBuiltPage();
    root.querySelector('input')?.focus();
    let focused: string | null = null;
    function AfterThePicture() {
      useLayoutEffect(() => {
        focused = document.activeElement?.getAttribute('name') ?? null;
      }, []);
      return null;
    }
    render(
      <>
        <App path="/login" />
        <AfterThePicture />
      </>,
      { container: root },
    );
    expect(focused).toBe('code');
  });

  it('has a button that waited pressed once', () => {
    takeOver(layBuiltPage('Go on'));
    expect(onPress).toHaveBeenCalledTimes(1);
  });

  it('is forgotten with the next screen, which begins at its top', () => {
    const root = layBuiltPage('Go on');
    const { rerender } = takeOver(root);
    act(() => {
      rerender(<App path="/terms" />);
    });
    expect(moves).toEqual([0]);
    expect(document.activeElement?.id).toBe('content');
    expect(onPress).toHaveBeenCalledTimes(1);
    expect(typedEarly('code')).toBe('');
  });

  it('is none where the app began with its own page', () => {
    render(<App path="/login" />);
    expect(document.activeElement?.id).toBe('content');
    expect(moves).toEqual([0]);
  });
});
