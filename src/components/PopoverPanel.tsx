/** The panel of a popover: where it stands, and what closes it. */
import {
  useEffect,
  useEffectEvent,
  useRef,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from 'react';
import { classes } from './class-names.ts';
import { popoverPlace, type PopoverPlace } from './popover-place.ts';

export interface PopoverPanelProps {
  /** The button that opens it. */
  anchor: RefObject<HTMLButtonElement | null>;
  /** The button's place when it was pressed; null while the panel is closed. */
  beside: DOMRect | null;
  id: string;
  label: string;
  close: () => void;
  children: (close: () => void) => ReactNode;
}

const GAP = 6;

/** Position on the screen from the button and the window, px. */
function placed(
  beside: DOMRect,
  view: { width: number; height: number },
): PopoverPlace & { style: CSSProperties } {
  const place = popoverPlace(beside, view);
  return {
    ...place,
    style: {
      ...(place.side === 'above'
        ? { bottom: view.height - beside.top + GAP }
        : { top: beside.bottom + GAP }),
      ...(place.align === 'right' ? { right: view.width - beside.right } : { left: beside.left }),
    },
  };
}

export function PopoverPanel({ anchor, beside, id, label, close, children }: PopoverPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const isOpen = beside !== null;
  const closeIt = useEffectEvent(close);

  useEffect(() => {
    if (!isOpen) return;
    panel.current?.querySelector<HTMLElement>('a, button')?.focus();
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      closeIt();
      anchor.current?.focus();
    };
    const elsewhere = (event: Event): void => {
      const target = event.target instanceof Node ? event.target : null;
      if (panel.current?.contains(target) !== true && anchor.current?.contains(target) !== true)
        closeIt();
    };
    const onResize = (): void => {
      closeIt();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', elsewhere);
    document.addEventListener('focusin', elsewhere);
    window.addEventListener('resize', onResize);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', elsewhere);
      document.removeEventListener('focusin', elsewhere);
      window.removeEventListener('resize', onResize);
    };
  }, [anchor, isOpen]);

  if (beside === null) return null;
  const { side, align, style } = placed(beside, { width: innerWidth, height: innerHeight });
  return (
    <div
      ref={panel}
      id={id}
      role="group"
      aria-label={label}
      data-side={side}
      data-align={align}
      style={style}
      className={classes(
        'fixed z-40 w-64 max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-surface p-2 shadow-float',
      )}
    >
      {children(close)}
    </div>
  );
}
