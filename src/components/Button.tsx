/** A button, or a link that looks like one. A busy button takes no press. */
import { LoaderCircle } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import { classes } from './class-names.ts';

export type ButtonTone = 'primary' | 'quiet' | 'plain' | 'danger' | 'danger-quiet';
/** `icon` is square: an icon alone, with a name for screen readers. */
export type ButtonSize = 'md' | 'sm' | 'icon';

const TONE: Record<ButtonTone, string> = {
  primary: 'bg-accent text-accent-ink hover:bg-accent-hover',
  quiet: 'border border-line-strong/60 text-ink hover:bg-sunken',
  plain: 'text-accent hover:bg-accent-wash',
  danger: 'bg-danger text-danger-ink hover:bg-danger-hover',
  'danger-quiet': 'border border-danger/60 text-danger hover:bg-danger-wash',
};
const SIZE: Record<ButtonSize, string> = {
  md: 'h-11 px-4 pointer-fine:h-10',
  sm: 'h-11 px-3 pointer-fine:h-8',
  icon: 'size-11 shrink-0 pointer-fine:size-9',
};

export function buttonClass(
  tone: ButtonTone = 'quiet',
  size: ButtonSize = 'md',
  wide = false,
): string {
  return classes(
    'inline-flex items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-50 aria-disabled:opacity-50',
    TONE[tone],
    SIZE[size],
    wide && 'w-full',
  );
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: ButtonTone;
  size?: ButtonSize;
  wide?: boolean;
  /** Shows a spinner and ignores presses. */
  busy?: boolean;
}

export function Button({
  tone = 'quiet',
  size = 'md',
  wide = false,
  busy = false,
  type = 'button',
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={classes(buttonClass(tone, size, wide), className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy && <LoaderCircle className="spin size-4" aria-hidden />}
      {children}
    </button>
  );
}

/** A link inside the app that looks like a button. */
export function LinkButton({
  to,
  tone = 'quiet',
  size = 'md',
  wide = false,
  className,
  children,
}: {
  to: string;
  tone?: ButtonTone;
  size?: ButtonSize;
  wide?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Link href={to} className={classes(buttonClass(tone, size, wide), className)}>
      {children}
    </Link>
  );
}
