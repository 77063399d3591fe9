/** A closed panel for the formulas and statistics behind a figure. */
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

export function HowCalculated({ children }: { children: ReactNode }) {
  return (
    <details className="group/method text-xs text-ink-3">
      <summary className="-ml-1 flex min-h-11 cursor-pointer list-none items-center gap-1 hover:text-ink pointer-fine:min-h-8 [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 shrink-0 group-open/method:rotate-90" aria-hidden />
        How this is calculated
      </summary>
      <div className="flex max-w-[72ch] flex-col gap-2 pt-1">{children}</div>
    </details>
  );
}
