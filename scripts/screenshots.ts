/**
 * `npm run screenshots`: every screen in every state, on phone and desktop, light and dark, into
 * screenshots/.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../tests/support/browser.ts';
import { builtStamp, presentStamp, ROOT } from './build-stamp.ts';
import { openWorld } from './pictures/people.ts';
import { makeSheets, type Picture } from './pictures/sheets.ts';
import { SETS } from './pictures/sets.ts';
import { FORMS, type Form } from './pictures/camera.ts';

/** `SETS=filled,dialogs` and `FORMS=phone` take a part; `PICTURES` names another folder. */
const wanted = (name: string, all: readonly string[]): string[] =>
  process.env[name] === undefined
    ? [...all]
    : process.env[name].split(',').filter((one) => all.includes(one));
const folder = process.env.PICTURES ?? join(ROOT, 'screenshots');
const sets = wanted('SETS', Object.keys(SETS));
const forms = wanted('FORMS', Object.keys(FORMS)) as Form[];

if (builtStamp() !== presentStamp(process.env)) {
  const { status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', join(ROOT, 'scripts', 'build.ts')],
    { cwd: ROOT, stdio: 'inherit' },
  );
  if (status !== 0) throw new Error('The app could not be built');
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'sheets'), { recursive: true });

const begun = Date.now();
const said = (text: string): void => {
  process.stdout.write(`${Math.round((Date.now() - begun) / 1_000)} s  ${text}\n`);
};
const pictures: Picture[] = [];
const world = await openWorld();
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--hide-scrollbars',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ],
});
try {
  said('The market has run; taking screenshots');
  for (const name of sets) {
    for (const form of forms.filter((one) => SETS[name]?.forms.includes(one))) {
      try {
        await SETS[name]?.take(world, { browser, form, folder, pictures });
      } catch (error) {
        process.exitCode = 1;
        process.stdout.write(
          `${name} ${form} was cut short: ${error instanceof Error ? error.message : String(error)}\n`,
        );
      }
      said(`${name} ${form}: ${pictures.length} pictures so far`);
    }
  }
  const sheets = await makeSheets(browser, folder, pictures);
  const noted = pictures.filter((picture) => picture.notes.length > 0);
  said(
    `${pictures.length} pictures, ${sheets.length} sheets, ${noted.length} with a note: ${join(folder, 'index.html')}`,
  );
} finally {
  await browser.close();
  await world.close();
}
