/**
 * Amounts, prices and percentages. Gains and losses have a sign and an arrow; an unknown is never
 * shown as zero.
 */
import { useEffect, useRef } from 'react';
import {
  direction,
  formatAmount,
  formatPercent,
  formatPrice,
  formatRatio,
  formatShare,
  UNKNOWN,
} from '../format/numbers.ts';
import { isInteracting } from '../platform/interaction.ts';
import { classes } from './class-names.ts';

const COLOUR = { down: 'text-loss', flat: 'text-ink-2', up: 'text-gain' } as const;
const MARK = { down: '▼', flat: '', up: '▲' } as const;

/** Why a value is missing, as a tooltip. */
function Missing({ why = 'Not available' }: { why?: string | undefined }) {
  return (
    <span className="text-ink-3" title={why}>
      <span aria-hidden>{UNKNOWN}</span>
      <span className="sr-only">{why}</span>
    </span>
  );
}

/** The direction of a number as rounded on screen: a gain that reads 0.00 is neutral. */
function shownDirection(text: string, value: string | number): keyof typeof COLOUR {
  return /[1-9]/.test(text) ? direction(value) : 'flat';
}

/** Without a line of its own height: a row must not grow as its figure turns from 0.00. */
function Mark({ way }: { way: keyof typeof MARK }) {
  return way === 'flat' ? null : (
    <span aria-hidden className="mr-1 text-[0.7em] leading-none">
      {MARK[way]}
    </span>
  );
}

export interface AmountProps {
  /** Decimal text; null where unknown. */
  value: string | null | undefined;
  /** Unit after the number, such as `USDT`. */
  quote?: string;
  /** A gain or loss: signed, coloured and marked. */
  change?: boolean;
  /** Tooltip in place of a missing value. */
  why?: string;
  className?: string;
}

export function Amount({ value, quote, change = false, why, className }: AmountProps) {
  if (value === null || value === undefined) return <Missing why={why} />;
  const text = formatAmount(value, { signed: change });
  const way = change ? shownDirection(text, value) : 'flat';
  return (
    <span className={classes('amount whitespace-nowrap', change && COLOUR[way], className)}>
      <Mark way={way} />
      {text}
      {quote !== undefined && <span className="ml-1 font-normal text-ink-3">{quote}</span>}
    </span>
  );
}

/** Duration of the tint, ms. */
export const TINT_MS = 180;
/** A price tints at most this often, ms. */
export const TINT_REST_MS = 1_000;

/**
 * A tint over the number that fades. Only the opacity of its own layer is animated, so that a list
 * of ticking prices is not repainted at every frame.
 */
function tint(element: HTMLElement | null, up: boolean): void {
  if (
    element === null ||
    typeof element.animate !== 'function' ||
    isInteracting() ||
    matchMedia('(prefers-reduced-motion: reduce)').matches
  )
    return;
  element.dataset.turned = up ? 'up' : 'down';
  element.animate(
    { opacity: [0.26, 0] },
    { duration: TINT_MS, easing: 'ease-out', pseudoElement: '::after' },
  );
}

/** A price that tints when it changes, at most once a second. */
export function Price({
  value,
  least,
  why,
  className,
}: {
  value: string | null | undefined;
  least?: number;
  why?: string;
  className?: string;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const last = useRef(value);
  const tintedAt = useRef(-Infinity);
  useEffect(() => {
    const before = last.current;
    last.current = value;
    if (
      before === value ||
      before === null ||
      before === undefined ||
      value === null ||
      value === undefined
    )
      return;
    const now = performance.now();
    if (now - tintedAt.current < TINT_REST_MS) return;
    tintedAt.current = now;
    tint(place.current, Number(value) > Number(before));
  }, [value]);
  if (value === null || value === undefined) return <Missing why={why} />;
  return (
    <span
      ref={place}
      className={classes('tinted relative -mx-1 px-1 whitespace-nowrap', className)}
    >
      {formatPrice(value, least)}
    </span>
  );
}

/** A change in percent (1.24 is 1.24 %). */
export function Percent({
  value,
  decimals = 2,
  why,
  className,
}: {
  value: number | null | undefined;
  decimals?: number;
  why?: string;
  className?: string;
}) {
  if (value === null || value === undefined || !Number.isFinite(value))
    return <Missing why={why} />;
  const text = formatPercent(value, { decimals });
  const way = shownDirection(text, value);
  return (
    <span className={classes('whitespace-nowrap', COLOUR[way], className)}>
      <Mark way={way} />
      {text}
    </span>
  );
}

/** A plain ratio, such as Sharpe 1.24, or a share (0.1 is 10 %) with `share`. */
export function Ratio({
  value,
  share = false,
  why,
}: {
  value: number | null | undefined;
  share?: boolean;
  why?: string;
}) {
  if (value === null || value === undefined || !Number.isFinite(value))
    return <Missing why={why} />;
  return (
    <span className="whitespace-nowrap">
      {share ? formatShare(value, { signed: false }) : formatRatio(value)}
    </span>
  );
}
