/**
 * The manifest and what it names, field by field, against the files and routes that are really
 * there.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routeOf } from '../../../src/shell/routes.ts';

const root = join(import.meta.dirname, '../../..');
interface Picture {
  src: string;
  sizes: string;
  type: string;
  purpose?: string;
  form_factor?: string;
  label?: string;
}
interface Manifest {
  id: string;
  name: string;
  short_name: string;
  description: string;
  lang: string;
  dir: string;
  start_url: string;
  scope: string;
  display: string;
  display_override: string[];
  launch_handler: { client_mode: string[] };
  handle_links: string;
  edge_side_panel: { preferred_width: number };
  orientation: string;
  theme_color: string;
  background_color: string;
  categories: string[];
  prefer_related_applications: boolean;
  icons: Picture[];
  screenshots: Picture[];
  shortcuts: {
    name: string;
    short_name?: string;
    description: string;
    url: string;
    icons: Picture[];
  }[];
}
const manifest = JSON.parse(readFileSync(join(root, 'manifest.webmanifest'), 'utf8')) as Manifest;
const html = readFileSync(join(root, 'index.html'), 'utf8');

/** Width and height as the PNG itself says. */
function pngSize(path: string): string {
  const file = readFileSync(join(root, 'public', path));
  expect(file.subarray(1, 4).toString()).toBe('PNG');
  return `${file.readUInt32BE(16)}x${file.readUInt32BE(20)}`;
}

describe('the manifest', () => {
  it('names the app, where it starts and where it ends', () => {
    expect(manifest.id).toBe('/dashboard');
    expect([manifest.name, manifest.short_name]).toEqual(['Tradewind', 'Tradewind']);
    expect(manifest.short_name.length).toBeLessThanOrEqual(12);
    expect(manifest.description).toMatch(/paper money/);
    expect([manifest.lang, manifest.dir]).toEqual(['en', 'ltr']);
    expect([manifest.start_url, manifest.scope]).toEqual(['/dashboard', '/']);
    expect(routeOf(manifest.start_url)?.title).toBe('Dashboard');
    expect(manifest.prefer_related_applications).toBe(false);
    expect(manifest.categories).toEqual(['finance', 'productivity']);
  });

  it('opens in a window of its own, with the title bar where the system allows, and reuses the one that is open', () => {
    expect(manifest.display).toBe('standalone');
    expect(manifest.display_override).toEqual([
      'window-controls-overlay',
      'standalone',
      'minimal-ui',
    ]);
    expect(manifest.launch_handler).toEqual({ client_mode: ['navigate-existing', 'auto'] });
    expect([manifest.handle_links, manifest.edge_side_panel]).toEqual([
      'preferred',
      { preferred_width: 400 },
    ]);
    expect(manifest.orientation).toBe('any');
    expect(
      [manifest.theme_color, manifest.background_color].every((colour) =>
        /^#[0-9a-f]{6}$/.test(colour),
      ),
    ).toBe(true);
  });

  it('has icons for any use and for masks, each as large as it says', () => {
    for (const purpose of ['any', 'maskable']) {
      for (const size of ['192x192', '512x512']) {
        expect(
          manifest.icons.some(
            (icon) => icon.purpose === purpose && icon.sizes === size && icon.type === 'image/png',
          ),
        ).toBe(true);
      }
    }
    expect(
      manifest.icons.every((icon) => icon.purpose === 'any' || icon.purpose === 'maskable'),
    ).toBe(true);
    for (const icon of manifest.icons.filter(({ type }) => type === 'image/png'))
      expect(pngSize(icon.src)).toBe(icon.sizes);
    expect(pngSize('/icons/badge-96.png')).toBe('96x96');
  });

  it('has real screenshots, two for phones and two for desktops, within the limits of the stores', () => {
    for (const form of ['narrow', 'wide']) {
      const shots = manifest.screenshots.filter(({ form_factor }) => form_factor === form);
      expect(shots).toHaveLength(2);
      expect(new Set(shots.map(({ sizes }) => sizes)).size).toBe(1);
      for (const { src, sizes, type, label } of shots) {
        expect([pngSize(src), type]).toEqual([sizes, 'image/png']);
        expect((label ?? '').length).toBeGreaterThan(10);
        const [width = 0, height = 0] = sizes.split('x').map(Number);
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(320);
        expect(Math.max(width, height)).toBeLessThanOrEqual(
          Math.min(3_840, 2.3 * Math.min(width, height)),
        );
        expect(form === 'wide' ? width > height : height > width).toBe(true);
      }
    }
  });

  it('leads from its icon to Stop all agents first, then to Portfolio and Markets, which are all there', () => {
    expect(manifest.shortcuts.map(({ name, url }) => [name, url])).toEqual([
      ['Stop all agents', '/stop-all'],
      ['Portfolio', '/portfolio'],
      ['Markets', '/market'],
    ]);
    expect(
      new Set(manifest.shortcuts.flatMap(({ icons }) => icons.map(({ src }) => src))).size,
    ).toBe(6);
    for (const { url, description, icons } of manifest.shortcuts) {
      expect(routeOf(url)?.access).toBe('protected');
      expect(description.length).toBeGreaterThan(5);
      expect(icons.map(({ src, sizes }) => [pngSize(src), sizes])).toEqual([
        ['192x192', '192x192'],
        ['96x96', '96x96'],
      ]);
    }
  });
});

describe('the document on iPhone and iPad', () => {
  it('is installable, drawn under the notch, with a touch icon', () => {
    expect(html).toContain('viewport-fit=cover');
    expect(html).toMatch(/<meta name="apple-mobile-web-app-capable" content="yes"/);
    expect(html).toMatch(/<meta name="apple-mobile-web-app-title" content="Tradewind"/);
    expect(html).toMatch(/<meta name="apple-mobile-web-app-status-bar-style" content="default"/);
    expect(pngSize(/<link rel="apple-touch-icon" href="([^"]+)"/.exec(html)?.[1] ?? '')).toBe(
      '180x180',
    );
  });

  it('has a start picture for each device it names, of exactly that device’s pixels', () => {
    const found = [
      ...html.matchAll(
        /media="\(device-width: (\d+)px\) and \(device-height: (\d+)px\) and \(-webkit-device-pixel-ratio: (\d)\) and \(orientation: portrait\)"\s+href="([^"]+)"/g,
      ),
    ];
    expect(found.length).toBeGreaterThanOrEqual(9);
    for (const [, width, height, ratio, href = ''] of found) {
      expect(existsSync(join(root, 'public', href))).toBe(true);
      expect(pngSize(href)).toBe(
        `${Number(width) * Number(ratio)}x${Number(height) * Number(ratio)}`,
      );
    }
  });
});
