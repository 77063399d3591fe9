/** Contact sheets of the screenshots, as a page and as images of twelve. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';

export interface Picture {
  set: string;
  name: string;
  form: string;
  theme: string;
  file: string;
  notes: readonly string[];
}

const PER_SHEET = 12;
const clean = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function cells(pictures: readonly Picture[], width: number): string {
  return pictures
    .map(
      ({ name, form, theme, file, notes }) =>
        `<figure style="width:${width}px"><a href="${file}"><img src="${file}" loading="eager"></a><figcaption>${clean(`${name} · ${form} · ${theme}`)}${notes.length === 0 ? '' : `<b>${clean(notes.join('; '))}</b>`}</figcaption></figure>`,
    )
    .join('');
}

const page = (
  body: string,
): string => `<!doctype html><meta charset="utf-8"><title>Pictures</title><style>
body{margin:12px;background:#777;font:12px system-ui}h2{margin:16px 0 6px;color:#fff}div{display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start}
figure{margin:0}img{width:100%;display:block}figcaption{color:#fff;padding:2px 0}b{display:block;color:#fd6}</style>${body}`;

/** `index.html` with everything, and `sheets/*.png` for each form. */
export async function makeSheets(
  browser: Browser,
  folder: string,
  pictures: readonly Picture[],
): Promise<string[]> {
  const sets = [...new Set(pictures.map((picture) => picture.set))];
  writeFileSync(
    join(folder, 'index.html'),
    page(
      sets
        .map(
          (set) =>
            `<h2>${set}</h2><div>${cells(
              pictures.filter((picture) => picture.set === set),
              260,
            )}</div>`,
        )
        .join(''),
    ),
  );
  const made: string[] = [];
  const view = await browser.newPage();
  for (const form of new Set(pictures.map((picture) => picture.form))) {
    const all = pictures.filter((picture) => picture.form === form);
    const isTall = form === 'phone' || form === 'narrow';
    const [across, width] = isTall ? [6, 300] : [3, 620];
    await view.setViewportSize({ width: across * (width + 12) + 24, height: 800 });
    for (let from = 0; from < all.length; from += PER_SHEET) {
      const some = all.slice(from, from + PER_SHEET);
      const source = join(folder, 'sheet.html');
      writeFileSync(source, page(`<div>${cells(some, width)}</div>`));
      await view.goto(pathToFileURL(source).href, { waitUntil: 'load' });
      const name = `sheets/${form}-${String(from / PER_SHEET + 1).padStart(2, '0')}-${some[0]?.set ?? ''}.png`;
      await view.screenshot({ path: join(folder, name), fullPage: true });
      made.push(name);
    }
  }
  await view.close();
  return made;
}
