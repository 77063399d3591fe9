/** The loader of the app's parts in Firefox and in WebKit: a file that did not come once comes later. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engine } from '../support/engine-binaries.ts';
import { EnginePage } from '../support/engine-page.ts';
import { startPartServer, TRY_PART, type PartServer } from '../support/part-server.ts';

const TRY = `const [folder] = given; ${TRY_PART}`;

describe.each(['firefox', 'webkit'] as const)('%s', (name) => {
  const open = engine(name);
  let server: PartServer;
  let page: EnginePage;

  beforeAll(async () => {
    if (open === null) return;
    server = await startPartServer();
    page = new EnginePage(await open());
    await page.goto(`${server.url}/`);
    await page.says(/Ready/);
  });
  afterAll(async () => {
    await page?.driver.close();
    await server?.close();
  });

  it.skipIf(open === null).each([
    ['the part’s own', 'own', /own\/part/],
    ['what it imports', 'imported', /imported\/rows/],
  ])('loads a part although one of its files, %s, came late', async (_which, folder, file) => {
    server.missing = file;
    expect(await page.runAsync<string>(TRY, folder)).toBe('PartUnreachable');
    expect(await page.runAsync<string>(TRY, folder)).toBe('PartUnreachable');
    server.missing = null;
    expect(await page.runAsync<string>(TRY, folder)).toBe('a part of rows');
  });

  // WebKit's driver keeps no cache; there an import that failed may be repeated anyway.
  it.skipIf(open === null || name === 'webkit')(
    'imports what has been fetched without asking again',
    async () => {
      server.onceEach();
      expect(await page.runAsync<string>(TRY, 'once')).toBe('a part of rows');
    },
  );
});
