/** Renders the app's PNG icons from its one SVG logo with Chromium. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const folder = join(import.meta.dirname, '..', 'public', 'icons');
const mark = readFileSync(join(folder, 'icon.svg'), 'utf8');
const GROUND = '#0f3c41';

/**
 * `any` keeps the rounded tile; `maskable` and Apple's fill the square, with the mark inside the
 * safe four fifths.
 */
const icons = [
  { name: 'icon-192.png', size: 192, bleed: false },
  { name: 'icon-512.png', size: 512, bleed: false },
  { name: 'maskable-192.png', size: 192, bleed: true },
  { name: 'maskable-512.png', size: 512, bleed: true },
  { name: 'apple-touch-icon.png', size: 180, bleed: true },
];

/** Android shows a notification's badge as a silhouette: the mark in white on nothing. */
const silhouette = mark
  .replace(/<rect[^>]*\/>/, '')
  .replace(/(fill|stroke)="#[0-9a-fA-F]{3,8}"/g, '$1="#fff"');

/**
 * What iOS shows while the installed app starts, by device: CSS width, height and pixel ratio, as
 * index.html names them.
 */
const splashes = [
  [375, 667, 2],
  [390, 844, 3],
  [393, 852, 3],
  [402, 874, 3],
  [414, 896, 2],
  [430, 932, 3],
  [440, 956, 3],
  [820, 1180, 2],
  [1024, 1366, 2],
] as const;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage();
  for (const { name, size, bleed } of icons) {
    await page.setViewportSize({ width: size, height: size });
    const inner = bleed ? Math.round(size * 0.84) : size;
    await page.setContent(
      `<style>html,body{margin:0;background:${bleed ? GROUND : 'transparent'}}div{width:${size}px;height:${size}px;display:grid;place-items:center}svg{width:${inner}px;height:${inner}px}</style><div>${mark}</div>`,
    );
    writeFileSync(join(folder, name), await page.screenshot({ omitBackground: true }));
  }
  await page.setViewportSize({ width: 96, height: 96 });
  await page.setContent(
    `<style>html,body{margin:0;background:transparent}svg{width:96px;height:96px}</style>${silhouette}`,
  );
  writeFileSync(join(folder, 'badge-96.png'), await page.screenshot({ omitBackground: true }));
  const splashFolder = join(folder, '..', 'splash');
  mkdirSync(splashFolder, { recursive: true });
  for (const [width, height, ratio] of splashes) {
    const sheet = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: ratio });
    await sheet.setContent(
      `<style>html,body{margin:0;height:100%;background:#0d1517;display:grid;place-items:center}svg{width:128px;height:128px}</style>${mark}`,
    );
    writeFileSync(
      join(splashFolder, `${width * ratio}x${height * ratio}.png`),
      await sheet.screenshot(),
    );
    await sheet.close();
  }
} finally {
  await browser.close();
}
