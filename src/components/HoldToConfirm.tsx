/**
 * A button that needs a press of 600 ms, by pointer or key. Who cannot hold is asked in a dialog.
 */
import {
  useEffect,
  useRef,
  useState,
  type CSSProperties,
  type DOMAttributes,
  type ReactNode,
} from 'react';
import { Button, buttonClass, type ButtonSize, type ButtonTone } from './Button.tsx';
import { LazyDialog } from './LazyDialog.tsx';

export const HOLD_MS = 600;
/**
 * A pointer that moves further than this cancels the hold, px; the button itself may move under a
 * resting finger.
 */
const SLIP_PX = 24;
/** How long the hint is shown after a short press, ms. */
const HINT_MS = 4_000;
/** Height of the hint, px. */
const HINT_PX = 44;

export interface HoldToConfirmProps {
  /** The label: `Stop and sell`, `Hold to start`. */
  label: string;
  /** What will happen and to how much; shown to users who cannot hold (a screen reader's click). */
  sentence: string;
  onConfirm: () => void;
  icon?: ReactNode;
  tone?: ButtonTone;
  size?: ButtonSize;
  wide?: boolean;
  /** Takes nothing then, and keeps the focus: what it does may be what takes it away for a while. */
  disabled?: boolean;
}

/** The hint after a short press, from "Hold to start 2" or "Start 2". */
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

/** Floats beside the button, so that nothing moves. */
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

/** The hint after a short press, shown for a moment and announced. */
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

/** The timer of the hold: `begin` starts it, `stop` cancels it, `onHeld` runs at its end. */
function useHoldTimer(label: string, disabled: boolean, onHeld: () => void) {
  const [filling, setFilling] = useState(false);
  /** Cancels the hold. */
  const callOff = useRef<(() => void) | null>(null);

  /** Whether a hold was cancelled. */
  const stop = (): boolean => {
    if (callOff.current === null) return false;
    callOff.current();
    callOff.current = null;
    setFilling(false);
    return true;
  };
  const begin = (): void => {
    setFilling(true);
    let frame = 0;
    const { pathname } = location;
    const end = (): void => {
      callOff.current = null;
      setFilling(false);
      // A screen that is being left stays in sight until the next one is drawn.
      if (location.pathname === pathname) onHeld();
    };
    // A busy page hears late that the finger was lifted: pending events come before the next frame.
    const timer = setTimeout(() => {
      frame = requestAnimationFrame(end);
    }, HOLD_MS);
    callOff.current = () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  };
  // The action changed under a resting finger: cancel the hold.
  useEffect(
    () => () => {
      stop();
    },
    [label, disabled],
  );
  return { filling, isHeld: () => callOff.current !== null, begin, stop };
}

const isActing = (key: string): boolean => key === 'Enter' || key === ' ';

type Hold = Omit<ReturnType<typeof useHoldTimer>, 'filling'>;
type Hint = Pick<ReturnType<typeof useHint>, 'show' | 'hide'>;

/** Event handlers: pointer and keys hold, a click without either asks in a dialog. */
function useHoldEvents(
  { isHeld, begin, stop }: Hold,
  { show, hide }: Hint,
  disabled: boolean,
  onAsk: () => void,
): DOMAttributes<HTMLButtonElement> {
  const begun = useRef(false);
  const pressed = useRef({ x: 0, y: 0 });
  /**
   * A key released elsewhere is not heard here, so a blur cancels the hold; a pointer is heard
   * everywhere.
   */
  const byKey = useRef(false);
  const press = (): void => {
    if (disabled || isHeld()) return;
    begun.current = true;
    hide();
    begin();
  };
  const release = (button: Element): void => {
    if (stop()) show(button);
  };
  return {
    onPointerDown: (event) => {
      if (event.button !== 0) return;
      byKey.current = false;
      pressed.current = { x: event.clientX, y: event.clientY };
      // The page may move during the hold: capture keeps the pointer with this button.
      if (event.isTrusted) event.currentTarget.setPointerCapture(event.pointerId);
      press();
    },
    onPointerMove: (event) => {
      if (
        Math.hypot(event.clientX - pressed.current.x, event.clientY - pressed.current.y) > SLIP_PX
      )
        stop();
    },
    onPointerUp: (event) => {
      release(event.currentTarget);
      // The click of a press comes at once or never.
      setTimeout(() => {
        begun.current = false;
      }, HOLD_MS);
    },
    // The finger scrolls the page: no click follows and no hint is shown.
    onPointerCancel: () => {
      stop();
      begun.current = false;
    },
    onBlur: () => {
      if (byKey.current) stop();
    },
    onKeyDown: (event) => {
      if (!isActing(event.key)) return;
      event.preventDefault();
      if (event.repeat) return;
      byKey.current = true;
      press();
    },
    onKeyUp: (event) => {
      if (!isActing(event.key)) return;
      event.preventDefault();
      release(event.currentTarget);
    },
    onContextMenu: (event) => {
      event.preventDefault();
    },
    onClick: () => {
      // A click without a press comes from a screen reader, which cannot hold: ask in a dialog.
      if (!begun.current && !disabled) onAsk();
      begun.current = false;
    },
  };
}

/** The confirmation dialog for users who cannot hold. */
function AskDialog({
  label,
  sentence,
  disabled,
  open,
  onOpenChange,
  onConfirm,
}: Pick<HoldToConfirmProps, 'label' | 'sentence' | 'disabled' | 'onConfirm'> & {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <LazyDialog
      open={open}
      onOpenChange={onOpenChange}
      title={label}
      description={sentence}
      actions={
        <>
          <Button
            onClick={() => {
              onOpenChange(false);
            }}
          >
            Cancel
          </Button>
          <Button
            tone="danger"
            disabled={disabled}
            onClick={() => {
              onOpenChange(false);
              onConfirm();
            }}
          >
            {label}
          </Button>
        </>
      }
    />
  );
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
  const [asking, setAsking] = useState(false);
  const { hint, show, hide } = useHint(label);
  const { filling, ...hold } = useHoldTimer(label, disabled, onConfirm);
  const events = useHoldEvents(hold, { show, hide }, disabled, () => {
    setAsking(true);
  });
  return (
    <>
      <button
        type="button"
        aria-disabled={disabled || undefined}
        className={buttonClass(tone, size, wide)}
        aria-label={`${label}. Hold to confirm.`}
        {...events}
      >
        {filling || icon === undefined ? <Ring filling={filling} /> : icon}
        <span className="min-w-0 truncate">{label}</span>
      </button>
      {hint}
      <AskDialog
        label={label}
        sentence={sentence}
        disabled={disabled}
        open={asking}
        onOpenChange={setAsking}
        onConfirm={onConfirm}
      />
    </>
  );
}
