/** The loader of the app's parts in Firefox and in WebKit: a file that did not come once comes later. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { engine } from '../support/engine-binaries.ts';
import { EnginePage } from '../support/engine-page.ts';
import { startReplyServer, type ReplyServer } from '../support/reply-server.ts';

const LOADER = transpileModule(readFileSync('src/platform/load-part.ts', 'utf8'), {
  compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
}).outputText;

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const SCRIPT = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
};

/** What the page says of one try. */
const TRY = `
const [folder] = given;
const { loadPart } = await import('/loader.js');
const files = [folder + '/part.js', folder + '/rows.js'];
try {
  const part = await loadPart(() => import('/' + files[0]), files);
  return part.default;
} catch (error) {
  return error.name;
}
`;

describe.each(['firefox', 'webkit'] as const)('%s', (name) => {
  const open = engine(name);
  let server: ReplyServer;
  let page: EnginePage;
  let missing: RegExp | null = null;

  beforeAll(async () => {
    if (open === null) return;
    server = await startReplyServer();
    server.answer(({ path }) => {
      if (path === '/') return { status: 200, headers: HTML, body: '<!doctype html><p>Ready</p>' };
      if (missing?.test(path) === true) return 'reset';
      if (path === '/loader.js') return { status: 200, headers: SCRIPT, body: LOADER };
      if (path.endsWith('/part.js'))
        return {
          status: 200,
          headers: SCRIPT,
          body: "import rows from './rows.js'; export default `a part of ${rows}`;",
        };
      return { status: 200, headers: SCRIPT, body: "export default 'rows';" };
    });
    page = new EnginePage(await open());
    await page.goto(`${server.url}/`);
    await page.says(/Ready/);
  });
  afterAll(async () => {
    await page.driver.close();
    await server.close();
  });

  it.skipIf(open === null)(
    'loads a part whose file, or the file of what it imports, came late',
    async () => {
      for (const [folder, file] of [
        ['own', 'part.js'],
        ['imported', 'rows.js'],
      ] as const) {
        missing = new RegExp(`${folder}/${file}`);
        expect(await page.runAsync<string>(TRY, folder)).toBe('PartUnreachable');
        expect(await page.runAsync<string>(TRY, folder)).toBe('PartUnreachable');
        missing = null;
        expect(await page.runAsync<string>(TRY, folder)).toBe('a part of rows');
      }
    },
  );
});
