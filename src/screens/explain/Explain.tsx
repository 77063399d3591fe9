/** A figure that opens the sum behind it. The dialog is loaded on demand. */
import { Suspense, useState, type ReactNode } from 'react';
import { classes } from '../../components/class-names.ts';
import { screenPart } from '../../components/screen-part.tsx';
import type { Ask } from './explain-figure.ts';

const ExplainDialog = screenPart(() => import('./ExplainDialog.tsx'));

/**
 * `name` says which figure it is, for screen readers. `plain`: it is visibly a button for another
 * reason.
 */
export function Explain({
  ask,
  name,
  children,
  className,
  plain = false,
}: {
  ask: Ask;
  name: string;
  children: ReactNode;
  className?: string;
  plain?: boolean;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        title={`Explain ${name}`}
        aria-haspopup="dialog"
        onClick={() => {
          setOpen(true);
        }}
        className={classes(
          'reach',
          !plain &&
            'underline decoration-line-strong/70 decoration-dotted decoration-1 underline-offset-4 hover:decoration-accent hover:decoration-solid',
          className,
        )}
      >
        <span className="sr-only">Explain {name} </span>
        {children}
      </button>
      {open && (
        <Suspense>
          <ExplainDialog
            ask={ask}
            onClose={() => {
              setOpen(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
