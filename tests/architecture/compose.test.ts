/** The settings of compose.yaml against those that the page and the server read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const namesIn = (text: string): string[] => text.match(/\bVITE_[A-Z]\w*[A-Z]\b/g) ?? [];

it('builds the page again after a change of any setting that is built into it', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join('src', name));
  const settings = new Set([...sources, 'server/config.ts'].flatMap((file) => namesIn(read(file))));
  const [, argument = ''] =
    /\n {8}PAGE_SETTINGS: >-\n((?: {10}.*\n)+)/.exec(read('compose.yaml')) ?? [];
  expect(namesIn(argument)).toEqual([...settings].sort());
  // The argument has to be there before the step whose result depends on it.
  expect(read('Dockerfile')).toMatch(/\nARG PAGE_SETTINGS\nRUN [^\n]*\\\n[^\n]*PAGE_SETTINGS/);
});
