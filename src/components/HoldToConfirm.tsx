/**
 * An act that needs 600 ms of intent, by pointer or key; a slip does nothing and is told what to
 * do, and who cannot hold is asked.
 */
import { useEffect, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { Button, buttonClass, type ButtonSize, type ButtonTone } from './Button.tsx';
import { Dialog } from './Dialog.tsx';

export const HOLD_MS = 600;
/**
 * A hand that slides further than this has changed its mind; the button itself may move under a
 * hand that rests.
 */
const SLIP_PX = 24;
/** How long it says what to do after a press that was too short, ms. */
const HINT_MS = 4_000;
/** Room for the hint, px. */
const HINT_PX = 44;

export interface HoldToConfirmProps {
  /** What is done, as the button says it: `Stop and sell`, `Hold to start`. */
  label: string;
  /** What will happen and to how much; asked by those who cannot hold (a screen reader's click). */
  sentence: string;
  onConfirm: () => void;
  icon?: ReactNode;
  tone?: ButtonTone;
  size?: ButtonSize;
  wide?: boolean;
  disabled?: boolean;
}

/** "Hold to start 2" and "Start 2": what a press that was too short is told. */
export function holdHint(label: string): string {
  const act = label.replace(/^Hold to /, '');
  return `Hold for a moment to ${act.charAt(0).toLowerCase()}${act.slice(1)}`;
}

function Ring({ filling }: { filling: boolean }) {
  return (
    <svg viewBox="0 0 36 36" aria-hidden className="size-4.5 shrink-0 -rotate-90">
      <circle
        cx="18"
        cy="18"
        r="15.9155"
        fill="none"
        stroke="currentColor"
        strokeWidth="3"
        opacity="0.28"
      />
      <circle
        cx="18"
        cy="18"
        r="15.9155"
        fill="none"
        stroke="currentColor"
        strokeWidth="4"
        className="ring"
        data-filling={filling}
      />
    </svg>
  );
}

/** Beside the button, over what is there: nothing moves for it. */
function hintPlace(button: Element): CSSProperties {
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const side =
    left + right > innerWidth
      ? { right: Math.max(8, innerWidth - right) }
      : { left: Math.max(8, left) };
  return {
    ...side,
    ...(top > 2 * HINT_PX ? { bottom: innerHeight - top + 6 } : { top: bottom + 6 }),
  };
}

/** The hint after a short press: shown beside the button for a moment, and spoken. */
function useHint(label: string) {
  const [place, setPlace] = useState<CSSProperties | null>(null);
  useEffect(() => {
    if (place === null) return;
    const away = (): void => {
      setPlace(null);
    };
    const later = setTimeout(away, HINT_MS);
    addEventListener('scroll', away, { capture: true, passive: true });
    return () => {
      clearTimeout(later);
      removeEventListener('scroll', away, { capture: true });
    };
  }, [place]);
  const hint = (
    <span
      role="status"
      style={place ?? undefined}
      className={
        place === null
          ? 'sr-only'
          : 'pointer-events-none fixed z-50 max-w-[calc(100vw-1rem)] rounded-md bg-ink px-3 py-2 text-sm font-medium text-ground shadow-float'
      }
    >
      {place === null ? '' : holdHint(label)}
    </span>
  );
  return {
    hint,
    show: (button: Element) => {
      setPlace(hintPlace(button));
    },
    hide: () => {
      setPlace(null);
    },
  };
}

export function HoldToConfirm({
  label,
  sentence,
  onConfirm,
  icon,
  tone = 'danger-quiet',
  size = 'md',
  wide = false,
  disabled = false,
}: HoldToConfirmProps) {
  const [filling, setFilling] = useState(false);
  const [asking, setAsking] = useState(false);
  const { hint, show, hide } = useHint(label);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const begun = useRef(false);
  const pressed = useRef({ x: 0, y: 0 });
  /**
   * A key let go elsewhere is not heard here, so focus that leaves ends the hold; a pointer is
   * heard wherever it is.
   */
  const byKey = useRef(false);

  /** Whether there was a hold to end. */
  const stop = (): boolean => {
    if (timer.current === null) return false;
    clearTimeout(timer.current);
    timer.current = null;
    setFilling(false);
    return true;
  };
  const begin = (): void => {
    if (disabled || timer.current !== null) return;
    begun.current = true;
    setFilling(true);
    hide();
    timer.current = setTimeout(() => {
      timer.current = null;
      setFilling(false);
      onConfirm();
    }, HOLD_MS);
  };
  // Given another act under a finger that rests, or none: what was begun was not for that.
  useEffect(
    () => () => {
      stop();
    },
    [label, disabled],
  );

  const isActing = (key: string): boolean => key === 'Enter' || key === ' ';
  return (
    <>
      <button
        type="button"
        disabled={disabled}
        className={buttonClass(tone, size, wide)}
        aria-label={`${label}. Hold to confirm.`}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          byKey.current = false;
          pressed.current = { x: event.clientX, y: event.clientY };
          // Lists above may grow while it is held: the press stays this button's wherever that puts
          // it.
          if (event.isTrusted) event.currentTarget.setPointerCapture(event.pointerId);
          begin();
        }}
        onPointerMove={(event) => {
          if (
            Math.hypot(event.clientX - pressed.current.x, event.clientY - pressed.current.y) >
            SLIP_PX
          )
            stop();
        }}
        onPointerUp={(event) => {
          if (stop()) show(event.currentTarget);
          // Its click comes at once or never; a later one is nobody's press.
          setTimeout(() => {
            begun.current = false;
          }, HOLD_MS);
        }}
        // The finger scrolls the page: no click comes of it, and nothing is to be said.
        onPointerCancel={() => {
          stop();
          begun.current = false;
        }}
        onBlur={() => {
          if (byKey.current) stop();
        }}
        onKeyDown={(event) => {
          if (isActing(event.key)) {
            event.preventDefault();
            if (!event.repeat) {
              byKey.current = true;
              begin();
            }
          }
        }}
        onKeyUp={(event) => {
          if (isActing(event.key)) {
            event.preventDefault();
            if (stop()) show(event.currentTarget);
          }
        }}
        onContextMenu={(event) => {
          event.preventDefault();
        }}
        onClick={() => {
          // A click that no press came before is a screen reader's: it cannot hold, so it is asked.
          if (!begun.current) setAsking(true);
          begun.current = false;
        }}
      >
        {filling || icon === undefined ? <Ring filling={filling} /> : icon}
        <span className="min-w-0 truncate">{label}</span>
      </button>
      {hint}
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={label}
        description={sentence}
        actions={
          <>
            <Button
              onClick={() => {
                setAsking(false);
              }}
            >
              Cancel
            </Button>
            <Button
              tone="danger"
              onClick={() => {
                setAsking(false);
                onConfirm();
              }}
            >
              {label}
            </Button>
          </>
        }
      />
    </>
  );
}
