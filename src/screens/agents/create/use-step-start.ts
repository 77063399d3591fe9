/** Starts each step of a wizard at its top with its heading focused. */
import { useEffect, useRef, type RefObject } from 'react';

/** The nearest scrolling ancestor of an element; null where the page itself scrolls. */
function scrollerOf(element: Element): Element | null {
  for (
    let part = element.parentElement;
    part !== null && part !== document.body;
    part = part.parentElement
  ) {
    if (/auto|scroll/.test(getComputedStyle(part).overflowY)) return part;
  }
  return null;
}

/**
 * Put the ref around the steps; the heading of each is its first `[data-step-heading]`. The first
 * step is left alone.
 */
export function useStepStart(step: string): RefObject<HTMLDivElement | null> {
  const steps = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    if (steps.current === null) return;
    const scroller = scrollerOf(steps.current);
    if (scroller === null) scrollTo(0, 0);
    else scroller.scrollTop = 0;
    steps.current.querySelector<HTMLElement>('[data-step-heading]')?.focus({ preventScroll: true });
  }, [step]);
  return steps;
}
