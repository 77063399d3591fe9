/**
 * The colours read off the style sheet itself: every pair that screens use has its contrast, in
 * both themes and both sets of gain colours.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TINT_MS } from '../../../src/components/Figures.tsx';

const css = readFileSync('src/styles/tokens.css', 'utf8');

/** The declarations of the block that opens with `selector`; nested blocks of that text alone. */
function block(selector: string, from = 0): Record<string, string> {
  const at = css.indexOf(`${selector} {`, from);
  if (at < 0) throw new Error(`No ${selector} in tokens.css`);
  const body = css.slice(css.indexOf('{', at) + 1, css.indexOf('}', at));
  return Object.fromEntries(
    [...body.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

const LIGHT = block(':root');
const DARK = block(":root[data-theme='dark']", css.indexOf('@media'));
const DARK_BY_SYSTEM = block(":root:not([data-theme='light'])");

/**
 * OKLCH → linear sRGB, as CSS Color 4 has it. What no screen can show is cut off, as a browser
 * does.
 */
function linear(colour: string): [number, number, number] {
  const [, lightness, chroma, hue] = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)$/.exec(colour) ?? [];
  if (lightness === undefined || chroma === undefined || hue === undefined)
    throw new Error(`Not a plain OKLCH colour: ${colour}`);
  const angle = (Number(hue) * Math.PI) / 180;
  const a = Number(chroma) * Math.cos(angle);
  const b = Number(chroma) * Math.sin(angle);
  const l = (Number(lightness) + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (Number(lightness) - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (Number(lightness) - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}
const luminance = (colour: string): number => {
  const [red, green, blue] = linear(colour).map((part) => Math.min(1, Math.max(0, part))) as [
    number,
    number,
    number,
  ];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ['--ground', '--surface', '--sunken'];
/** Text on what it stands on. */
const TEXT: readonly (readonly [string, readonly string[]])[] = [
  ['--ink', [...GROUNDS, '--accent-wash', '--amber-wash', '--danger-wash', '--live-wash']],
  ['--ink-2', [...GROUNDS, '--accent-wash', '--live-wash']],
  ['--ink-3', GROUNDS],
  ['--accent', [...GROUNDS, '--accent-wash']],
  ['--amber', [...GROUNDS, '--amber-wash']],
  ['--danger', [...GROUNDS, '--danger-wash']],
  ['--accent-ink', ['--accent', '--accent-hover']],
  ['--danger-ink', ['--danger', '--danger-hover']],
  ['--live', [...GROUNDS, '--live-wash']],
  ['--live-ink', ['--live']],
  ...['--green', '--red', '--blue', '--orange'].map((name) => [name, GROUNDS] as const),
];
/** Edges of fields and switches, and what marks focus: 3 to 1. */
const EDGES: readonly (readonly [string, readonly string[]])[] = [
  ['--line-strong', GROUNDS],
  ['--accent', GROUNDS],
];

const weak = (theme: Record<string, string>, pairs: typeof TEXT, least: number): string[] =>
  pairs
    .flatMap(([front, backs]) =>
      backs.map((back) => [front, back, contrast(theme[front] ?? '', theme[back] ?? '')] as const),
    )
    .filter(([, , ratio]) => ratio < least)
    .map(([front, back, ratio]) => `${front} on ${back} ${ratio.toFixed(2)}`);

describe('colours', () => {
  it('are measured as the standard does', () => {
    expect(contrast('oklch(0 0 0)', 'oklch(1 0 0)')).toBeCloseTo(21, 3);
    // #777777 on white is the known edge of 4.5.
    expect(contrast('oklch(0.5687 0 0)', 'oklch(1 0 0)')).toBeCloseTo(4.48, 1);
  });

  it.each([
    ['light', LIGHT],
    ['dark', DARK],
  ])('can be read in %s: text 4.5 to 1, edges 3 to 1', (_name, theme) => {
    expect(weak(theme, TEXT, 4.5)).toEqual([]);
    expect(weak(theme, EDGES, 3)).toEqual([]);
  });

  it('are the same dark ones by the system’s choice and by the person’s', () => {
    expect(DARK_BY_SYSTEM).toEqual(DARK);
    expect(Object.keys(DARK).length).toBeGreaterThan(20);
  });

  it('of gain and loss differ in lightness or hue enough to be told apart without red and green', () => {
    // What a person without the red cones sees is close to the blue-yellow axis: blue lies on one
    // side of it, orange on the other.
    for (const theme of [LIGHT, DARK]) {
      const hue = (name: string): number =>
        Number((theme[name] ?? '').split(' ')[2]?.replace(')', ''));
      expect(hue('--blue')).toBeGreaterThan(230);
      expect(hue('--blue')).toBeLessThan(270);
      expect(hue('--orange')).toBeLessThan(90);
    }
    expect(block(":root[data-gain='blue']")).toEqual({
      '--gain': 'var(--blue)',
      '--loss': 'var(--orange)',
    });
  });

  it('are named by screens through tokens alone', () => {
    const app = readFileSync('src/styles/app.css', 'utf8');
    expect(app).toContain('--color-*: initial;');
    expect(
      [...app.matchAll(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsl\(/gi)].map(([found]) => found),
    ).toEqual([]);
  });
});

describe('motion and forced colours', () => {
  const app = readFileSync('src/styles/app.css', 'utf8');
  it('rests where less motion is asked for, and lasts no longer than 200 ms elsewhere', () => {
    expect(app).toMatch(
      /prefers-reduced-motion: reduce[^}]*animation: none !important;\s+transition: none !important/s,
    );
    const spans = [
      TINT_MS,
      ...[...app.matchAll(/animation: (?:tray-in|float-in) (\d+)ms/g)].map(([, ms]) => Number(ms)),
    ];
    expect(spans.length).toBe(3);
    expect(Math.max(...spans)).toBeLessThanOrEqual(200);
  });

  it('keeps in forced colours what is said by a ground alone: the ring of a hold, bars, the dot of a state, the chosen row', () => {
    const forced = app.slice(app.indexOf('@media (forced-colors: active)'));
    expect(forced).toContain('Highlight');
    for (const part of [
      '.ring',
      '[data-meter]',
      "[role='option'][aria-selected='true']",
      "[aria-current='page']",
      "[role='switch']",
    ])
      expect(forced).toContain(part);
  });
});
