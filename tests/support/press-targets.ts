/**
 * How large everything that can be pressed is for whoever presses it, found by asking the page what
 * lies at each point.
 */
import type { Page } from 'playwright-core';

export interface PressTarget {
  name: string;
  width: number;
  height: number;
}

/** Links inside a sentence take the height of their line and are left out, as WCAG 2.5.8 does. */
export function pressTargets(page: Page): Promise<PressTarget[]> {
  return page.evaluate(() => {
    const FURTHEST = 48;
    const found: { name: string; width: number; height: number }[] = [];
    const isInSentence = (one: Element): boolean => {
      const around = one.closest('p, li, dd, td')?.textContent ?? '';
      return (
        one.tagName === 'A' &&
        getComputedStyle(one).display === 'inline' &&
        around.length > (one.textContent?.length ?? 0) + 8
      );
    };
    for (const one of document.querySelectorAll<HTMLElement>(
      'a[href], button:enabled, input:enabled, select:enabled, summary, [role=slider]',
    )) {
      if (one.closest('[aria-hidden=true], [inert]') !== null || isInSentence(one)) continue;
      one.scrollIntoView({ block: 'center' });
      const box = one.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const label = one instanceof HTMLInputElement ? one.labels?.[0] : undefined;
      const isHit = (dx: number, dy: number): boolean => {
        // What floats over the page, such as an offer, is scrolled away from and is not the
        // target's size.
        const hit = document
          .elementsFromPoint(x + dx, y + dy)
          .find((top) => [null, one.closest('.fixed')].includes(top.closest('.fixed')));
        return hit !== undefined && (one.contains(hit) || label?.contains(hit) === true);
      };
      if (box.width <= 1 || !isHit(0, 0)) continue;
      const reach = (dx: number, dy: number): number => {
        let length = 0;
        while (length < FURTHEST && isHit(dx * (length + 1), dy * (length + 1))) length += 1;
        return length;
      };
      found.push({
        name: `${one.tagName.toLowerCase()} ${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40)}`,
        width: reach(-1, 0) + reach(1, 0) + 1,
        height: reach(0, -1) + reach(0, 1) + 1,
      });
    }
    scrollTo(0, 0);
    return found;
  });
}
