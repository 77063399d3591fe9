/** Draws the app's PNG icons from its one SVG mark with Chromium; refuses to invent a second drawing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const folder = join(import.meta.dirname, '..', 'public', 'icons');
const mark = readFileSync(join(folder, 'icon.svg'), 'utf8');
const GROUND = '#0f3c41';

/** `any` keeps the rounded tile; `maskable` and Apple's fill the square, with the mark inside the safe four fifths. */
const icons = [
  { name: 'icon-192.png', size: 192, bleed: false },
  { name: 'icon-512.png', size: 512, bleed: false },
  { name: 'maskable-192.png', size: 192, bleed: true },
  { name: 'maskable-512.png', size: 512, bleed: true },
  { name: 'apple-touch-icon.png', size: 180, bleed: true },
];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage();
  for (const { name, size, bleed } of icons) {
    await page.setViewportSize({ width: size, height: size });
    const inner = bleed ? Math.round(size * 0.84) : size;
    await page.setContent(`<style>html,body{margin:0;background:${bleed ? GROUND : 'transparent'}}div{width:${size}px;height:${size}px;display:grid;place-items:center}svg{width:${inner}px;height:${inner}px}</style><div>${mark}</div>`);
    writeFileSync(join(folder, name), await page.screenshot({ omitBackground: true }));
  }
} finally {
  await browser.close();
}
