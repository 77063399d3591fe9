/** The heading of a step, which takes the focus when the step begins. */
import { useEffect, useRef } from 'react';

export function StepHead({ at, title }: { at: string; title: string }) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!at.startsWith('1 ')) head.current?.focus();
  }, [at]);
  return (
    <h2 ref={head} tabIndex={-1} className="mb-3 text-sm font-semibold outline-none">
      {at}. {title}
    </h2>
  );
}
