/** An act that needs 600 ms of intent, by pointer or key; refuses to fire on a slip, and asks where holding is not possible. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button, buttonClass, type ButtonSize, type ButtonTone } from './Button.tsx';
import { classes } from './class-names.ts';
import { Dialog } from './Dialog.tsx';

export const HOLD_MS = 600;
/** A hand that slides further than this has changed its mind; the button itself may move under a hand that rests. */
const SLIP_PX = 24;

export interface HoldToConfirmProps {
  /** What is done, as the button says it: `Stop all`. */
  label: string;
  /** What will happen and to how much; asked by those who cannot hold (a screen reader's click). */
  sentence: string;
  onConfirm: () => void;
  icon?: ReactNode;
  /** Show the icon alone, the label for assistive technology. */
  compact?: boolean;
  tone?: ButtonTone;
  size?: ButtonSize;
  wide?: boolean;
  disabled?: boolean;
}

function Ring({ filling }: { filling: boolean }) {
  return (
    <svg viewBox="0 0 36 36" aria-hidden className="size-4.5 -rotate-90">
      <circle cx="18" cy="18" r="15.9155" fill="none" stroke="currentColor" strokeWidth="3" opacity="0.28" />
      <circle cx="18" cy="18" r="15.9155" fill="none" stroke="currentColor" strokeWidth="4" className="ring" data-filling={filling} />
    </svg>
  );
}

export function HoldToConfirm({ label, sentence, onConfirm, icon, compact = false, tone = 'danger-quiet', size = 'md', wide = false, disabled = false }: HoldToConfirmProps) {
  const [filling, setFilling] = useState(false);
  const [slipped, setSlipped] = useState(false);
  const [asking, setAsking] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const begun = useRef(false);
  const pressed = useRef({ x: 0, y: 0 });
  /** A key let go elsewhere is not heard here, so focus that leaves ends the hold; a pointer is heard wherever it is. */
  const byKey = useRef(false);

  const stop = (): void => {
    if (timer.current === null) return;
    clearTimeout(timer.current);
    timer.current = null;
    setFilling(false);
    setSlipped(true);
  };
  const begin = (): void => {
    if (disabled || timer.current !== null) return;
    begun.current = true;
    setFilling(true);
    setSlipped(false);
    timer.current = setTimeout(() => {
      timer.current = null;
      setFilling(false);
      onConfirm();
    }, HOLD_MS);
  };
  useEffect(() => () => { if (timer.current !== null) clearTimeout(timer.current); }, []);
  useEffect(() => {
    if (!slipped) return;
    const later = setTimeout(() => { setSlipped(false); }, 2_000);
    return () => { clearTimeout(later); };
  }, [slipped]);

  const isActing = (key: string): boolean => key === 'Enter' || key === ' ';
  return (
    <>
      <button type="button" disabled={disabled} title={compact ? `Hold to ${label.toLowerCase()}` : undefined}
        className={classes(buttonClass(tone, compact ? 'icon' : size, wide), 'touch-none')} aria-label={`${label}. Hold to confirm.`}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          byKey.current = false;
          pressed.current = { x: event.clientX, y: event.clientY };
          // Lists above may grow while it is held: the press stays this button's wherever that puts it.
          if (event.isTrusted) event.currentTarget.setPointerCapture(event.pointerId);
          begin();
        }}
        onPointerMove={(event) => {
          if (Math.hypot(event.clientX - pressed.current.x, event.clientY - pressed.current.y) > SLIP_PX) stop();
        }}
        onPointerUp={stop} onPointerCancel={stop}
        onBlur={() => { if (byKey.current) stop(); }}
        onKeyDown={(event) => { if (isActing(event.key)) { event.preventDefault(); if (!event.repeat) { byKey.current = true; begin(); } } }}
        onKeyUp={(event) => { if (isActing(event.key)) { event.preventDefault(); stop(); } }}
        onContextMenu={(event) => { event.preventDefault(); }}
        onClick={() => {
          // A click that no press came before is a screen reader's: it cannot hold, so it is asked.
          if (!begun.current) setAsking(true);
          begun.current = false;
        }}>
        {filling || icon === undefined ? <Ring filling={filling} /> : icon}
        {!compact && <span>{slipped ? 'Keep holding' : label}</span>}
      </button>
      <Dialog open={asking} onOpenChange={setAsking} title={label} description={sentence}
        actions={<><Button onClick={() => { setAsking(false); }}>Cancel</Button><Button tone="danger" onClick={() => { setAsking(false); onConfirm(); }}>{label}</Button></>} />
    </>
  );
}
