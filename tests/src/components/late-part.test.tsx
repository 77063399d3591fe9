// @vitest-environment happy-dom
/** Parts whose code comes late: when they are drawn, and what becomes of one that cannot be had. */
import '../../support/page-world.ts';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { latePart, LatePart, preloadLateParts } from '../../../src/components/LatePart.tsx';

const Note = ({ text }: { text: string }) => <p role="note">{text}</p>;
const shown = (): string[] => screen.queryAllByRole('note').map((one) => one.textContent);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  cleanup();
});

describe('a late part', () => {
  it('is asked for when it is first needed, and stays once it was', async () => {
    const fetchCode = vi.fn(() => Promise.resolve(Note));
    const part = latePart('a note', fetchCode);
    const { rerender } = render(<LatePart part={part} needed={false} props={{ text: 'one' }} />);
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    expect([fetchCode.mock.calls.length, shown()]).toEqual([0, []]);
    rerender(<LatePart part={part} needed props={{ text: 'two' }} />);
    expect(shown()).toEqual([]);
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(shown()).toEqual(['two']);
    rerender(<LatePart part={part} needed={false} props={{ text: 'three' }} />);
    expect([fetchCode.mock.calls.length, shown()]).toEqual([1, ['three']]);
  });

  it('is in the same picture as what needs it where its code is here, and in no other', async () => {
    const part = latePart('a note', () => Promise.resolve(Note));
    await preloadLateParts();
    render(<LatePart part={part} needed={false} props={{ text: 'closed' }} />);
    expect(shown()).toEqual([]);
    render(<LatePart part={part} needed props={{ text: 'open' }} />);
    expect(shown()).toEqual(['open']);
  });

  it('takes back the press that asked for it where it cannot be had, and comes with the next', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const fetchCode = vi
      .fn<() => Promise<typeof Note>>()
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
      .mockResolvedValue(Note);
    const part = latePart('a note', fetchCode);
    const onMissing = vi.fn();
    const draw = (needed: boolean) => (
      <LatePart part={part} needed={needed} onMissing={onMissing} props={{ text: 'here' }} />
    );
    const { rerender } = render(draw(true));
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect([onMissing.mock.calls.length, shown()]).toEqual([1, []]);
    rerender(draw(false));
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(fetchCode).toHaveBeenCalledTimes(1);
    rerender(draw(true));
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect([onMissing.mock.calls.length, shown()]).toEqual([1, ['here']]);
  });

  it('is asked for again by itself while it is needed and nobody took the press back', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const fetchCode = vi
      .fn<() => Promise<typeof Note>>()
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
      .mockResolvedValue(Note);
    render(<LatePart part={latePart('a note', fetchCode)} needed props={{ text: 'here' }} />);
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(shown()).toEqual([]);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect([fetchCode.mock.calls.length, shown()]).toEqual([2, ['here']]);
  });

  it('does not hold up the others where it cannot be preloaded', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    latePart('a lost note', () => Promise.reject(new TypeError('Failed to fetch')));
    const other = latePart('a note', () => Promise.resolve(Note));
    await preloadLateParts();
    expect(other.loaded).toBe(Note);
  });
});
