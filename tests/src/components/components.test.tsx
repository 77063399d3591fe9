// @vitest-environment happy-dom
/** The parts that screens are made of: figures, holds, fields, ages, lines. */
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rangeStart } from '../../../contract/chart-ranges.ts';
import { Age } from '../../../src/components/Age.tsx';
import { Button } from '../../../src/components/Button.tsx';
import { EquityChart, heldBeside } from '../../../src/components/EquityChart.tsx';
import { Field } from '../../../src/components/Field.tsx';
import { Amount, Percent, Ratio } from '../../../src/components/Figures.tsx';
import { HOLD_MS, holdHint, HoldToConfirm } from '../../../src/components/HoldToConfirm.tsx';
import { Sparkline, sparklinePath } from '../../../src/components/Sparkline.tsx';
import { Switch } from '../../../src/components/Switch.tsx';
import fc from '../../support/property.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** The dialog whose code comes when it is first needed. */
async function loadedDialog(): Promise<HTMLElement> {
  await act(() => vi.dynamicImportSettled());
  return screen.getByRole('dialog');
}

describe('figures', () => {
  it('say a gain by sign, mark and colour, and leave zero neutral', () => {
    const { container, rerender } = render(<Amount value="128.4" change />);
    expect(container.textContent).toBe('▲+128.40');
    expect(container.querySelector('.text-gain')).not.toBeNull();
    rerender(<Amount value="-0.001" change />);
    rerender(<Amount value="0" change />);
    expect(container.textContent).toBe('0.00');
    expect(container.querySelector('.text-gain, .text-loss')).toBeNull();
    rerender(<Percent value={-1.25} />);
    expect(container.textContent).toContain('\u22121.25');
    expect(container.querySelector('.text-loss')).not.toBeNull();
  });

  it('show what is not known as a dash with its reason, never as zero', () => {
    const { container } = render(
      <>
        <Amount value={null} why="No price yet" />
        <Ratio value={null} why="Not enough trades yet" />
        <Percent value={Number.NaN} />
      </>,
    );
    expect(screen.getByText('No price yet')).toBeTruthy();
    expect(screen.getByText('Not enough trades yet')).toBeTruthy();
    expect(container.textContent).not.toMatch(/[0-9]/);
  });
});

/** One frame of a screen, rounded up, ms. */
const FRAME_MS = 20;

describe('a hold', () => {
  const hold = (onConfirm: () => void) => {
    render(<HoldToConfirm label="Stop all" sentence="Stops 2 agents." onConfirm={onConfirm} />);
    return screen.getByRole('button', { name: 'Stop all. Hold to confirm.' });
  };

  it('fires after 600 ms of pressing, once', () => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.pointerDown(button, { button: 0 });
    act(() => {
      vi.advanceTimersByTime(HOLD_MS - 1);
    });
    expect(onConfirm).not.toHaveBeenCalled();
    act(() => {
      vi.advanceTimersByTime(1 + FRAME_MS);
    });
    fireEvent.pointerUp(button);
    fireEvent.click(button);
    expect(onConfirm).toHaveBeenCalledOnce();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('does nothing on a tap, and says what to do, seen and spoken', () => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.pointerDown(button, { button: 0 });
    act(() => {
      vi.advanceTimersByTime(200);
    });
    fireEvent.pointerUp(button);
    fireEvent.click(button);
    act(() => {
      vi.advanceTimersByTime(1_000);
    });
    expect(onConfirm).not.toHaveBeenCalled();
    expect(screen.getByRole('status').textContent).toBe('Hold for a moment to stop all');
    act(() => {
      vi.advanceTimersByTime(5_000);
    });
    expect(screen.getByRole('status').textContent).toBe('');
  });

  it.each(['Enter', ' '])('works by holding the key %j', (key) => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.keyDown(button, { key });
    fireEvent.keyDown(button, { key, repeat: true });
    act(() => {
      vi.advanceTimersByTime(HOLD_MS + FRAME_MS);
    });
    fireEvent.keyUp(button, { key });
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  it('says nothing after a finger that scrolled, and still asks whoever cannot hold', async () => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.pointerDown(button, { button: 0 });
    fireEvent.pointerCancel(button);
    act(() => {
      vi.advanceTimersByTime(HOLD_MS);
    });
    expect(onConfirm).not.toHaveBeenCalled();
    expect(screen.getByRole('status').textContent).toBe('');
    fireEvent.click(button);
    expect((await loadedDialog()).textContent).toContain('Stops 2 agents.');
  });

  it('does nothing once its screen is being left, though that is still in sight (F62)', () => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.pointerDown(button, { button: 0 });
    act(() => {
      vi.advanceTimersByTime(HOLD_MS / 2);
    });
    const here = location.pathname;
    history.pushState(null, '', '/library');
    act(() => {
      vi.advanceTimersByTime(HOLD_MS);
    });
    expect(onConfirm).not.toHaveBeenCalled();
    history.pushState(null, '', here);
    fireEvent.pointerUp(button);
    fireEvent.pointerDown(button, { button: 0 });
    act(() => {
      vi.advanceTimersByTime(HOLD_MS + FRAME_MS);
    });
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  it('hears a finger that left while the page was busy before it fires', () => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.pointerDown(button, { button: 0 });
    act(() => {
      vi.advanceTimersByTime(HOLD_MS);
    });
    // Heard with the next frame, in which the hold would have fired.
    fireEvent.pointerCancel(button);
    act(() => {
      vi.advanceTimersByTime(HOLD_MS);
    });
    expect(onConfirm).not.toHaveBeenCalled();
  });

  it.each([
    ['another act', { label: 'Delete' }],
    ['nothing to do', { disabled: true }],
  ])('ends where the button is given %s meanwhile', (_what, change) => {
    const onConfirm = vi.fn();
    const drawn = (more: { label?: string; disabled?: boolean }) => (
      <HoldToConfirm label="Stop all" sentence="Stops 2 agents." onConfirm={onConfirm} {...more} />
    );
    const { rerender } = render(drawn({}));
    fireEvent.pointerDown(screen.getByRole('button', { name: 'Stop all. Hold to confirm.' }), {
      button: 0,
    });
    act(() => {
      vi.advanceTimersByTime(HOLD_MS - 1);
    });
    rerender(drawn(change));
    act(() => {
      vi.advanceTimersByTime(HOLD_MS + FRAME_MS);
    });
    expect(onConfirm).not.toHaveBeenCalled();
  });

  /** A hold that may be made, and how it is drawn as one that may not. */
  function drawHold() {
    const onConfirm = vi.fn();
    const drawn = (disabled: boolean) => (
      <HoldToConfirm
        label="Stop all"
        sentence="Stops 2 agents."
        onConfirm={onConfirm}
        disabled={disabled}
      />
    );
    const { rerender } = render(drawn(false));
    return {
      onConfirm,
      disable: () => {
        rerender(drawn(true));
      },
    };
  }

  it('that may not be made keeps the focus, and takes neither a press, a key nor a click', async () => {
    const { onConfirm, disable } = drawHold();
    const button = screen.getByRole<HTMLButtonElement>('button', { name: /^Stop all/ });
    button.focus();
    disable();
    expect([button.getAttribute('aria-disabled'), button.disabled]).toEqual(['true', false]);
    expect(document.activeElement).toBe(button);
    for (const begin of [
      () => fireEvent.pointerDown(button, { button: 0 }),
      () => fireEvent.keyDown(button, { key: 'Enter' }),
      () => fireEvent.click(button),
    ]) {
      begin();
      await act(() => vi.advanceTimersByTimeAsync(2 * HOLD_MS));
    }
    await act(() => vi.dynamicImportSettled());
    expect(onConfirm).not.toHaveBeenCalled();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('status').textContent).toBe('');
  });

  it('that was asked for in words is not made once it may not be', async () => {
    const { onConfirm, disable } = drawHold();
    fireEvent.click(screen.getByRole('button', { name: /^Stop all/ }));
    await loadedDialog();
    disable();
    fireEvent.click(screen.getByRole('button', { name: 'Stop all' }));
    expect(onConfirm).not.toHaveBeenCalled();
  });

  it('lets the page be scrolled from it', () => {
    expect(hold(vi.fn()).className).not.toContain('touch-none');
  });

  it.each([
    ['Hold to start 2', 'Hold for a moment to start 2'],
    ['Stop and sell', 'Hold for a moment to stop and sell'],
  ])('named %j is told of as %j', (label, hint) => {
    expect(holdHint(label)).toBe(hint);
  });

  it('asks in words where holding is not possible', async () => {
    const onConfirm = vi.fn();
    fireEvent.click(hold(onConfirm));
    expect((await loadedDialog()).textContent).toContain('Stops 2 agents.');
    fireEvent.click(screen.getByRole('button', { name: 'Stop all' }));
    expect(onConfirm).toHaveBeenCalledOnce();
  });
});

describe('inputs', () => {
  it('keep what was typed beside the error that it caused', () => {
    render(<Field label="Name" value="bad<name" error="Only letters" readOnly />);
    const input = screen.getByLabelText<HTMLInputElement>('Name');
    expect(input.value).toBe('bad<name');
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'Only letters',
    );
  });

  it('do not submit twice while busy', () => {
    const onClick = vi.fn();
    render(
      <Button busy onClick={onClick}>
        Save
      </Button>,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(onClick).not.toHaveBeenCalled();
  });

  it('switch by role and label', () => {
    const onChange = vi.fn();
    render(<Switch label="Keep" checked={false} onChange={onChange} />);
    fireEvent.click(screen.getByRole('switch', { name: 'Keep' }));
    expect(onChange).toHaveBeenCalledWith(true);
  });
});

describe('ages and lines', () => {
  it('turn amber once the word is no longer fresh', () => {
    vi.setSystemTime(1_000_000_000);
    const { container } = render(<Age savedAt={1_000_000_000 - 5_000} />);
    expect(container.querySelector('.text-amber')).toBeNull();
    act(() => {
      vi.advanceTimersByTime(60_000);
    });
    expect(container.querySelector('.text-amber')?.textContent).toContain('1 min ago');
  });

  it('are unknown, and not fresh, once the clock was put back (F20)', () => {
    vi.setSystemTime(1_000_000_000);
    const { container } = render(<Age savedAt={1_000_000_000 + 86_400_000} onlyStale />);
    expect(container.querySelector('.text-amber')?.textContent).toContain('age unknown');
  });

  it('draw at most 64 points and nothing of one', () => {
    expect(sparklinePath([1])).toBeNull();
    expect(sparklinePath([1, Number.NaN])).toBeNull();
    const path = sparklinePath(Array.from({ length: 1_000 }, (_, index) => Math.sin(index)));
    expect(path?.match(/[ML]/g)?.length).toBeLessThanOrEqual(64);
  });

  it('have the colour of where they end: above the start a gain, below it a loss, whatever lies between', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 2, maxLength: 200 }),
        (values) => {
          const { container, unmount } = render(<Sparkline values={values} label="Line" />);
          const y = [
            ...(container.querySelector('path')?.getAttribute('d') ?? '').matchAll(
              /[ML][\d.]+ ([\d.]+)/g,
            ),
          ].map((match) => Number(match[1]));
          const [first = 0, last = 0] = [y[0], y.at(-1)];
          const shown = container.querySelector('svg')?.getAttribute('class') ?? '';
          // Drawn upwards, y grows smaller; two ends a hair apart may share a place.
          if (shown.includes('text-gain')) expect(last <= first).toBe(true);
          else if (shown.includes('text-loss')) expect(last >= first).toBe(true);
          else expect(last).toBe(first);
          unmount();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('begin buy-and-hold at its first known moment, worth what the account was, and carry it over moments between its own, never past its last', () => {
    const account = [
      [0, '10000'],
      [10, '10100'],
      [20, '9900'],
      [30, '10300'],
    ] as const;
    expect(
      heldBeside(account, [
        [0, '500'],
        [20, '550'],
      ]),
    ).toEqual([
      [0, '10000.00'],
      [10, '10000.00'],
      [20, '11000.00'],
    ]);
    // Prices begin after the account: so does the line.
    expect(
      heldBeside(account, [
        [10, '500'],
        [30, '450'],
      ]),
    ).toEqual([
      [10, '10100.00'],
      [20, '10100.00'],
      [30, '9090.00'],
    ]);
    expect(
      heldBeside(account, [
        [40, '500'],
        [50, '500'],
      ]),
    ).toBeNull();
    expect(heldBeside(account, [])).toBeNull();
  });

  it('say what buy-and-hold brought and from when, above the plot and beside the change of the account', () => {
    const points = (from: number, values: readonly string[]) =>
      values.map((value, index) => [from + index * 600_000, value] as const);
    const start = new Date(2026, 10, 21, 12).getTime();
    const { container } = render(
      <EquityChart
        quote="USDT"
        curve={points(start, ['10000', '10100', '10200', '10300'])}
        held={{ name: 'BTC held', points: points(start + 600_000, ['500', '550']) }}
      />,
    );
    expect(container.textContent.replace(/\u202f/g, ' ')).toMatch(
      /▲\+3\.00 % ▲\+300\.00 since 12[:.]00 BTC held ▲\+10\.00 % since 12[:.]10/,
    );
    const plot = screen.getByRole('slider');
    const said = screen.getByText(/BTC held/).closest('p')!;
    expect(said.compareDocumentPosition(plot) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect([plot.className, said.className, said.parentElement!.className].join(' ')).not.toContain(
      'absolute',
    );
  });

  it('are drawn with the first picture, and read under a finger at once', () => {
    const start = new Date(2026, 10, 21, 12).getTime();
    const curve = ['10000', '10400', '10200'].map(
      (value, index) => [start + index * 3_600_000, value] as const,
    );
    const { container } = render(<EquityChart quote="USDT" curve={curve} />);
    const plot = screen.getByRole('slider');
    expect(plot.querySelectorAll('path')[1]?.getAttribute('d')).toMatch(
      /^M0\.0 .*L500\.0 .*L1000\.0 /,
    );
    expect(plot.textContent).toContain('10,200.00');
    const inner = plot.firstElementChild as HTMLElement;
    inner.getBoundingClientRect = () => new DOMRect(20, 0, 300, 100);
    const valueText = () => plot.getAttribute('aria-valuetext');
    expect(valueText()).toContain('10,200.00');
    fireEvent.pointerDown(plot, { clientX: 175, pointerType: 'touch' });
    expect(valueText()).toContain('10,400.00');
    expect(container.textContent).toContain('10,400.00');
    fireEvent.pointerMove(plot, { clientX: 5, pointerType: 'touch' });
    expect(valueText()).toContain('10,000.00');
    fireEvent.pointerCancel(plot);
    expect(valueText()).toContain('10,200.00');
    // The first key begins at the last point.
    fireEvent.keyDown(plot, { key: 'ArrowLeft' });
    fireEvent.keyDown(plot, { key: 'ArrowLeft' });
    expect(valueText()).toContain('10,400.00');
  });

  it('begin a range where its name says', () => {
    const end = Date.UTC(2026, 10, 21, 12);
    expect(rangeStart('1D', end)).toBe(end - 86_400_000);
    expect(rangeStart('YTD', end)).toBe(Date.UTC(2026, 0, 1));
    expect(rangeStart('ALL', end)).toBe(-Infinity);
  });

  it('say since when, in place of the range, where the first point lies long before it or after it', () => {
    const end = new Date(2026, 3, 15, 12).getTime();
    const DAY = 86_400_000;
    const year = Date.UTC(2026, 0, 1);
    const noteOf = (range: string, ...points: [number, string][]): string => {
      const { container, unmount } = render(
        <EquityChart quote="USDT" curve={[...points, [end, '9500']]} />,
      );
      fireEvent.click(screen.getByRole('button', { name: range }));
      const said = container.querySelector('p')?.textContent ?? '';
      unmount();
      return said.replace(/\u202f/g, ' ').trim();
    };
    const first: [number, string] = [end - 300 * DAY, '10000'];
    // A loss of before the year, with no mark until the year has begun.
    expect(noteOf('YTD', first, [year - 4 * DAY, '10000'], [year + 2 * DAY, '9500'])).toMatch(
      /−500\.00 since .*2025/,
    );
    expect(noteOf('YTD', first, [year, '9500'])).toMatch(/ 0\.00 YTD$/);
    expect(noteOf('3M', first, [end - 98 * DAY, '9600'])).toMatch(/−100\.00 since .*2026/);
    expect(noteOf('3M', first, [end - 91.5 * DAY, '9600'])).toMatch(/−100\.00 3M$/);
    // No mark for five days.
    expect(noteOf('1D', first, [end - 5 * DAY, '9700'])).toMatch(/−200\.00 since /);
    expect(noteOf('1D', first, [end - DAY - 240_000, '9700'])).toMatch(/−200\.00 1D$/);
    // Younger than the range.
    expect(noteOf('1M', [end - 3 * DAY, '10000'])).toMatch(/−500\.00 since /);
  });
});
