/** Which tests a change is checked by first. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relatedTests } from '../../scripts/related-tests.ts';

const folder = mkdtempSync(join(tmpdir(), 'tradewind-related-'));
const home = process.cwd();
const FILES: Record<string, string> = {
  'src/button.tsx': '',
  'src/form.tsx': "import { Button } from './button.tsx';",
  'src/screen.tsx': "const Form = lazy(() => import('./form.tsx'));",
  'tests/src/button.test.tsx': "import { Button } from '../../src/button.tsx';",
  'tests/src/form.test.tsx': "import { Form } from '../../src/form.tsx';",
  'tests/src/screen.test.tsx': "import {\n  Screen,\n} from '../../src/screen.tsx';",
  'tests/src/other.test.ts': "import { other } from '../../src/other.ts';",
};

beforeAll(() => {
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

describe('the tests of a change', () => {
  const of = (...changed: string[]) => relatedTests(changed, Object.keys(FILES));

  it('begin with its own and end with those that reach it by the longest way', () => {
    expect(of('src/button.tsx')).toEqual([
      'tests/src/button.test.tsx',
      'tests/src/form.test.tsx',
      'tests/src/screen.test.tsx',
    ]);
  });

  it('leave out what does not reach it, and name a changed test itself', () => {
    expect(of('src/screen.tsx')).toEqual(['tests/src/screen.test.tsx']);
    expect(of('tests/src/other.test.ts')).toEqual(['tests/src/other.test.ts']);
  });
});
