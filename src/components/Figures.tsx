/** Numbers on screen: amounts, prices, percentages, with their sign said twice; refuses to show an unknown as zero. */
import { useEffect, useRef, useState } from 'react';
import { classes } from './class-names.ts';
import { amountText, directionOf, percentText, priceText, UNKNOWN } from './number-text.ts';

const COLOUR = { [-1]: 'text-loss', 0: 'text-ink-2', 1: 'text-gain' } as const;
const MARK = { [-1]: '▼', 0: '', 1: '▲' } as const;

/** Why a value is missing, for those who ask. */
function Missing({ why = 'Not known' }: { why?: string | undefined }) {
  return <span className="text-ink-3" title={why}><span aria-hidden>{UNKNOWN}</span><span className="sr-only">{why}</span></span>;
}

export interface AmountProps {
  /** Decimal text from the wire; null where it is not known. */
  value: string | null | undefined;
  /** Unit after the number, such as `USDT`. */
  quote?: string;
  /** A gain or loss: signed, coloured and marked. */
  change?: boolean;
  decimals?: number;
  /** Said in place of the value when there is none. */
  why?: string;
  className?: string;
}

export function Amount({ value, quote, change = false, decimals = 2, why, className }: AmountProps) {
  if (value === null || value === undefined) return <Missing why={why} />;
  const direction = change ? directionOf(value, decimals) : 0;
  return (
    <span className={classes('whitespace-nowrap', change && COLOUR[direction], className)}>
      {change && direction !== 0 && <span aria-hidden className="mr-1 text-[0.7em]">{MARK[direction]}</span>}
      {amountText(value, { signed: change, decimals })}
      {quote !== undefined && <span className="ml-1 font-normal text-ink-3">{quote}</span>}
    </span>
  );
}

/** A price that tints for a moment when it changes. */
export function Price({ value, why, className }: { value: string | null | undefined; why?: string; className?: string }) {
  const last = useRef(value);
  const [turn, setTurn] = useState<{ direction: -1 | 1; count: number } | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = value;
    if (before === value || before === null || before === undefined || value === null || value === undefined) return;
    const direction = Number(value) > Number(before) ? 1 : -1;
    setTurn((held) => ({ direction, count: (held?.count ?? 0) + 1 }));
  }, [value]);
  if (value === null || value === undefined) return <Missing why={why} />;
  return (
    <span key={turn?.count ?? 0} className={classes('-mx-1 rounded-sm px-1 whitespace-nowrap', turn !== null && (turn.direction > 0 ? 'tint-up' : 'tint-down'), className)}>
      {priceText(value)}
    </span>
  );
}

/** A change in percent (1.24 is 1.24 %). */
export function Percent({ value, decimals = 2, why, className }: { value: number | null | undefined; decimals?: number; why?: string; className?: string }) {
  if (value === null || value === undefined || !Number.isFinite(value)) return <Missing why={why} />;
  const direction = /[1-9]/.test(value.toFixed(decimals)) ? (value > 0 ? 1 : -1) : 0;
  return (
    <span className={classes('whitespace-nowrap', COLOUR[direction], className)}>
      {direction !== 0 && <span aria-hidden className="mr-1 text-[0.7em]">{MARK[direction]}</span>}
      {percentText(value, decimals)}
    </span>
  );
}

/** A plain ratio of no sign's meaning: Sharpe 1.24. */
export function Ratio({ value, percent = false, decimals = 2, why }: { value: number | null | undefined; percent?: boolean; decimals?: number; why?: string }) {
  if (value === null || value === undefined || !Number.isFinite(value)) return <Missing why={why} />;
  return <span className="whitespace-nowrap">{percent ? percentText(value * 100, decimals).replace('+', '') : value.toFixed(decimals).replace('-', '\u2212')}</span>;
}
