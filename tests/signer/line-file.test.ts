/** Files of lines are read in pieces: they may grow beyond what one text can hold. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { LineFile, readLines } from '../../signer/line-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'line-file-'));
const path = join(folder, 'lines.jsonl');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const LINES = [{ text: 'mäßig 🙂 lang' }, 1, { text: '' }, { text: '€'.repeat(40) }, null];
const TEXT = LINES.map((line) => `${JSON.stringify(line)}\n`).join('');
beforeEach(() => {
  writeFileSync(path, TEXT);
});

function opened(pieceBytes: number): unknown[] {
  const lines: unknown[] = [];
  LineFile.open(path, (line) => lines.push(line), { pieceBytes }).close();
  return lines;
}

describe('a file of lines', () => {
  it.each([1, 2, 3, 4, 5, 7, 16, 64, 1_000])(
    'is read the same in pieces of %s bytes, where lines and letters span them',
    (pieceBytes) => {
      expect(opened(pieceBytes)).toEqual(LINES);
    },
  );

  it.each([1, 3, 16, 1_000])('is freed of a torn last line in pieces of %s bytes', (pieceBytes) => {
    appendFileSync(path, '{"text":"hal€');
    expect(opened(pieceBytes)).toEqual(LINES);
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
  });

  it('goes on behind its whole lines', () => {
    appendFileSync(path, '{"te');
    const file = LineFile.open(path, () => undefined, { pieceBytes: 3 });
    file.append({ text: 'new' });
    file.close();
    expect(opened(3)).toEqual([...LINES, { text: 'new' }]);
  });

  it('does not open where a line in the middle cannot be read, and stays as it is', () => {
    writeFileSync(path, '1\n{"te\n2\n3');
    expect(() => opened(2)).toThrow(SyntaxError);
    expect(readFileSync(path, 'utf8')).toBe('1\n{"te\n2\n3');
  });

  it('that is only read is left as it is, half a line at its end too', () => {
    appendFileSync(path, '{"te');
    const texts: string[] = [];
    readLines(path, (text) => texts.push(text), 4);
    expect(`${texts.join('\n')}\n`).toBe(TEXT);
    expect(readFileSync(path, 'utf8')).toBe(`${TEXT}{"te`);
  });
});
