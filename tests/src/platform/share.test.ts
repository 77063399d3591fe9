/** What leaves by the share sheet or the clipboard: the words that were shown, and nothing else. */
import { describe, expect, it, vi } from 'vitest';
import { resultText } from '../../../src/screens/performance/result-text.ts';
import { shareOut } from '../../../src/platform/share.ts';

const what = { title: 'Tradewind', text: 'My result', url: 'https://example.com/' };
const clipboard = () => ({ writeText: vi.fn((_text: string) => Promise.resolve()) });

describe('sharing', () => {
  it('goes through the device’s own sheet, and says nothing where the person closed it', async () => {
    const share = vi.fn(() => Promise.resolve());
    expect(await shareOut(what, { share, clipboard: clipboard() })).toBe('shared');
    expect(share.mock.calls).toEqual([[what]]);
    const board = clipboard();
    expect(
      await shareOut(what, {
        share: () => Promise.reject(new DOMException('closed', 'AbortError')),
        clipboard: board,
      }),
    ).toBe('dropped');
    expect(board.writeText).not.toHaveBeenCalled();
  });

  it('copies where there is no sheet, or only the name of one, and says so where neither can be had', async () => {
    const board = clipboard();
    expect(await shareOut(what, { clipboard: board })).toBe('copied');
    expect(
      await shareOut(what, {
        share: () => Promise.reject(new DOMException('none', 'NotAllowedError')),
        clipboard: board,
      }),
    ).toBe('copied');
    expect(
      await shareOut(what, {
        share: () => Promise.resolve(),
        canShare: () => false,
        clipboard: board,
      }),
    ).toBe('copied');
    expect(board.writeText.mock.calls).toEqual(Array(3).fill(['My result https://example.com/']));
    expect(await shareOut(what, {})).toBe('failed');
    expect(
      await shareOut(what, { clipboard: { writeText: () => Promise.reject(new Error('denied')) } }),
    ).toBe('failed');
  });

  it('tells of a result by its percentage alone, with its sign, and of none where nothing was put in', () => {
    expect(resultText({ equity: '10124.4', deposits: '10000' })).toMatch(
      /^My trading agents with paper money: \+1\.24\s% since the start, after fees\.$/u,
    );
    expect(resultText({ equity: '9500', deposits: '10000' })).toMatch(/: −5\.00\s% since/u);
    expect(resultText({ equity: '0', deposits: '0' })).toBeNull();
  });
});
