/** A small panel beside the button that opens it. Escape or a press elsewhere closes it. */
import { useEffect, useId, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { classes } from './class-names.ts';
import { popoverPlace, type PopoverPlace } from './popover-place.ts';

interface Rect {
  top: number;
  bottom: number;
  left: number;
  right: number;
}
interface OpenedPopover {
  place: PopoverPlace;
  style: CSSProperties;
}

const GAP = 6;

/** Position on the screen from the button and the window, px. */
function placed(anchor: Rect, view: { width: number; height: number }): OpenedPopover {
  const place = popoverPlace(anchor, view);
  return {
    place,
    style: {
      ...(place.side === 'above'
        ? { bottom: view.height - anchor.top + GAP }
        : { top: anchor.bottom + GAP }),
      ...(place.align === 'right' ? { right: view.width - anchor.right } : { left: anchor.left }),
    },
  };
}

export interface PopoverProps {
  /** Content of the button. */
  button: ReactNode;
  buttonLabel: string;
  buttonClass?: string;
  children: (close: () => void) => ReactNode;
}

/** Whether and where the panel is open. Escape or a press elsewhere closes it. */
function usePanel() {
  const [opened, setOpened] = useState<OpenedPopover | null>(null);
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const close = (): void => {
    setOpened(null);
  };
  const isOpen = opened !== null;

  useEffect(() => {
    if (!isOpen) return;
    panel.current?.querySelector<HTMLElement>('a, button')?.focus();
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      close();
      anchor.current?.focus();
    };
    const elsewhere = (event: Event): void => {
      const target = event.target instanceof Node ? event.target : null;
      if (panel.current?.contains(target) !== true && anchor.current?.contains(target) !== true)
        close();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', elsewhere);
    document.addEventListener('focusin', elsewhere);
    window.addEventListener('resize', close);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', elsewhere);
      document.removeEventListener('focusin', elsewhere);
      window.removeEventListener('resize', close);
    };
  }, [isOpen]);

  const toggle = (): void => {
    const box = anchor.current?.getBoundingClientRect();
    setOpened(
      isOpen || box === undefined ? null : placed(box, { width: innerWidth, height: innerHeight }),
    );
  };
  return { opened, anchor, panel, toggle, close };
}

export function Popover({ button, buttonLabel, buttonClass, children }: PopoverProps) {
  const { opened, anchor, panel, toggle, close } = usePanel();
  const id = useId();
  const isOpen = opened !== null;
  return (
    <>
      <button
        ref={anchor}
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={buttonLabel}
        onClick={toggle}
        className={buttonClass}
      >
        {button}
      </button>
      {opened !== null && (
        <div
          ref={panel}
          id={id}
          role="group"
          aria-label={buttonLabel}
          data-side={opened.place.side}
          data-align={opened.place.align}
          style={opened.style}
          className={classes(
            'fixed z-40 w-64 max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-surface p-2 shadow-float',
          )}
        >
          {children(close)}
        </div>
      )}
    </>
  );
}
