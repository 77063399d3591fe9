// @vitest-environment happy-dom
/** What public pages say of themselves, beside what the app's routes say. */
import { describe, expect, it } from 'vitest';
import { PUBLIC_PAGES, publicPageOf } from '../../../contract/public-pages.ts';
import { PAGE_TEXTS } from '../../../src/public-page/page-texts.ts';
import { ROUTES } from '../../../src/shell/routes.ts';

const texts = Object.entries(PAGE_TEXTS);

describe('the public pages', () => {
  it('are the public routes of the app, under the same titles (R2-01, R2-02)', () => {
    const open = ROUTES.filter(({ access }) => access === 'public');
    expect(Object.fromEntries(texts.map(([path, { title }]) => [path, title]))).toEqual(
      Object.fromEntries(open.map(({ path, title }) => [path, title])),
    );
    expect(Object.keys(PUBLIC_PAGES).sort()).toEqual(Object.keys(PAGE_TEXTS).sort());
  });

  it('have descriptions of their own, as long as a search shows', () => {
    const descriptions = texts.map(([, { description }]) => description);
    expect(new Set(descriptions).size).toBe(descriptions.length);
    for (const description of descriptions) {
      expect(description.length).toBeGreaterThanOrEqual(70);
      expect(description.length).toBeLessThanOrEqual(160);
    }
  });

  it('are found with a slash at the end, and nothing else is one', () => {
    expect(publicPageOf('/')).toBe('pages/landing.html');
    expect(publicPageOf('/faq/')).toBe('pages/faq.html');
    for (const path of ['/dashboard', '/faq/more', '/toString', '', '//'])
      expect([path, path === '//' ? undefined : publicPageOf(path)]).toEqual([path, undefined]);
  });
});
