/** A labelled input with hint and error. It keeps what was typed over an error. */
import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import { classes } from './class-names.ts';

const BOX =
  'h-11 w-full min-w-0 rounded-md border bg-surface px-3 text-ink placeholder:text-ink-3 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-2 disabled:opacity-100 pointer-fine:h-10';

interface Said {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

function Frame({ id, label, hint, error, children }: Said & { id: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-ink-3">
          {hint}
        </p>
      )}
      {/* A live region, so that an error is announced. */}
      <p
        id={`${id}-error`}
        aria-live="polite"
        className={classes('text-sm text-danger', error !== undefined && 'mt-1')}
      >
        {error}
      </p>
    </div>
  );
}

function described(
  id: string,
  { hint, error }: { hint?: ReactNode; error?: string | undefined },
): string | undefined {
  const ids = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(
    Boolean,
  );
  return ids.length === 0 ? undefined : ids.join(' ');
}

export interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id'>, Said {
  /** Shown at the end of the input: a unit such as `USDT` or `%`. */
  unit?: string;
}

export function Field({ label, hint, error, unit, className, ...input }: FieldProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <div className="relative">
        <input
          {...input}
          id={id}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={described(id, { hint, error })}
          className={classes(
            BOX,
            error === undefined ? 'border-line-strong/70' : 'border-danger',
            unit !== undefined && 'pr-16',
            className,
          )}
        />
        {unit !== undefined && (
          <span
            aria-hidden
            className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-ink-3"
          >
            {unit}
          </span>
        )}
      </div>
    </Frame>
  );
}

export interface TextAreaFieldProps
  extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'>, Said {}

export function TextAreaField({
  label,
  hint,
  error,
  className,
  rows = 4,
  ...input
}: TextAreaFieldProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        {...input}
        id={id}
        rows={rows}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described(id, { hint, error })}
        className={classes(
          BOX,
          'h-auto py-2 pointer-fine:h-auto',
          error === undefined ? 'border-line-strong/70' : 'border-danger',
          className,
        )}
      />
    </Frame>
  );
}

export interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'>, Said {
  options: readonly { value: string; label: string; disabled?: boolean }[];
}

/** The platform's own picker, which works best on a phone. */
export function Select({ label, hint, error, options, className, ...select }: SelectProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select
        {...select}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described(id, { hint, error })}
        className={classes(
          BOX,
          error === undefined ? 'border-line-strong/70' : 'border-danger',
          className,
        )}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  );
}
