/** An on/off switch with label and hint. It shows the stored state, not the press. */
import { useId, type ReactNode } from 'react';
import { classes } from './class-names.ts';

export function Switch({
  label,
  hint,
  checked,
  disabled,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex min-h-11 items-start justify-between gap-4 py-2">
      <div className="min-w-0">
        <span id={id} className="block font-medium">
          {label}
        </span>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="mt-0.5 text-xs text-ink-3">
            {hint}
          </p>
        )}
      </div>
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        aria-labelledby={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        disabled={disabled}
        onClick={() => {
          onChange(!checked);
        }}
        className="-m-2 flex size-auto shrink-0 items-center p-2 disabled:opacity-50"
      >
        <span
          className={classes(
            'flex h-6 w-10 items-center rounded-full border p-0.5 transition-colors duration-100',
            checked ? 'border-accent bg-accent' : 'border-line-strong bg-sunken',
          )}
        >
          <span
            className={classes(
              'size-4.5 rounded-full transition-transform duration-100',
              checked ? 'translate-x-4 bg-accent-ink' : 'bg-line-strong',
            )}
          />
        </span>
      </button>
    </div>
  );
}
