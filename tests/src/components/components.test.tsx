// @vitest-environment jsdom
/** The parts that screens are made of: figures, holds, fields, ages, lines. */
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Age } from '../../../src/components/Age.tsx';
import { Button } from '../../../src/components/Button.tsx';
import { rangeStart } from '../../../src/components/EquityChart.tsx';
import { Field } from '../../../src/components/Field.tsx';
import { Amount, Percent, Ratio } from '../../../src/components/Figures.tsx';
import { HOLD_MS, HoldToConfirm } from '../../../src/components/HoldToConfirm.tsx';
import { sparklinePath } from '../../../src/components/Sparkline.tsx';
import { Switch } from '../../../src/components/Switch.tsx';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { cleanup(); vi.useRealTimers(); });

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
    const { container } = render(<><Amount value={null} why="No price seen yet" /><Ratio value={null} why="Not enough trades yet" /><Percent value={Number.NaN} /></>);
    expect(screen.getByText('No price seen yet')).toBeTruthy();
    expect(screen.getByText('Not enough trades yet')).toBeTruthy();
    expect(container.textContent).not.toMatch(/[0-9]/);
  });
});

describe('a hold', () => {
  const hold = (onConfirm: () => void) => {
    render(<HoldToConfirm label="Stop all" sentence="Stops 2 agents." onConfirm={onConfirm} />);
    return screen.getByRole('button', { name: 'Stop all. Hold to confirm.' });
  };

  it('fires after 600 ms of pressing, once', () => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.pointerDown(button, { button: 0 });
    act(() => { vi.advanceTimersByTime(HOLD_MS - 1); });
    expect(onConfirm).not.toHaveBeenCalled();
    act(() => { vi.advanceTimersByTime(1); });
    fireEvent.pointerUp(button);
    fireEvent.click(button);
    expect(onConfirm).toHaveBeenCalledOnce();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('does nothing on a tap, and says to keep holding', () => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.pointerDown(button, { button: 0 });
    act(() => { vi.advanceTimersByTime(200); });
    fireEvent.pointerUp(button);
    fireEvent.click(button);
    act(() => { vi.advanceTimersByTime(1_000); });
    expect(onConfirm).not.toHaveBeenCalled();
    expect(button.textContent).toContain('Keep holding');
  });

  it.each(['Enter', ' '])('works by holding the key %j', (key) => {
    const onConfirm = vi.fn();
    const button = hold(onConfirm);
    fireEvent.keyDown(button, { key });
    fireEvent.keyDown(button, { key, repeat: true });
    act(() => { vi.advanceTimersByTime(HOLD_MS); });
    fireEvent.keyUp(button, { key });
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  it('asks in words where holding is not possible', () => {
    const onConfirm = vi.fn();
    fireEvent.click(hold(onConfirm));
    expect(screen.getByRole('dialog').textContent).toContain('Stops 2 agents.');
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
    expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Only letters');
  });

  it('do not submit twice while busy', () => {
    const onClick = vi.fn();
    render(<Button busy onClick={onClick}>Save</Button>);
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
    act(() => { vi.advanceTimersByTime(60_000); });
    expect(container.querySelector('.text-amber')?.textContent).toContain('1 min ago');
  });

  it('draw at most 64 points and nothing of one', () => {
    expect(sparklinePath([1])).toBeNull();
    expect(sparklinePath([1, Number.NaN])).toBeNull();
    const path = sparklinePath(Array.from({ length: 1_000 }, (_, index) => Math.sin(index)));
    expect(path?.match(/[ML]/g)?.length).toBeLessThanOrEqual(64);
  });

  it('begin a range where its name says', () => {
    const end = Date.UTC(2026, 10, 21, 12);
    expect(rangeStart('1D', end)).toBe(end - 86_400_000);
    expect(rangeStart('YTD', end)).toBe(Date.UTC(2026, 0, 1));
    expect(rangeStart('ALL', end)).toBe(-Infinity);
  });
});
