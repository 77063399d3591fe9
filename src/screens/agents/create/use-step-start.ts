/** Starts each step of a wizard at its top with its heading focused. */
import { useEffect, useRef, type RefObject } from 'react';
import { useWrongField } from './use-wrong-field.ts';

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
 * step is left alone. Where `issues` name a field that is wrong, that field is focused instead.
 */
export function useStepStart(
  step: string,
  issues: Readonly<Record<string, string>>,
): RefObject<HTMLDivElement | null> {
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
  useWrongField(steps, issues, step);
  return steps;
}
