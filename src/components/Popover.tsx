/** A button with a small panel beside it. Escape or a press elsewhere closes it. */
import { useId, useRef, useState, type ReactNode } from 'react';
import { latePart, LatePart } from './LatePart.tsx';
import type { PopoverPanelProps } from './PopoverPanel.tsx';

const panel = latePart<PopoverPanelProps>(
  'a menu',
  async () => (await import('./PopoverPanel.tsx')).PopoverPanel,
);

export interface PopoverProps {
  /** Content of the button. */
  button: ReactNode;
  buttonLabel: string;
  buttonClass?: string;
  children: (close: () => void) => ReactNode;
}

/** A panel whose download failed takes the press back; the next one tries again. */
export function Popover({ button, buttonLabel, buttonClass, children }: PopoverProps) {
  const [beside, setBeside] = useState<DOMRect | null>(null);
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  const isOpen = beside !== null;
  const close = (): void => {
    setBeside(null);
  };
  return (
    <>
      <button
        ref={anchor}
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={buttonLabel}
        onClick={() => {
          setBeside(isOpen ? null : (anchor.current?.getBoundingClientRect() ?? null));
        }}
        // Its code may still be on the way: it opens over nothing that is done meanwhile.
        onBlur={() => {
          if (panel.loaded === null) close();
        }}
        className={buttonClass}
      >
        {button}
      </button>
      <LatePart
        part={panel}
        needed={isOpen}
        onMissing={close}
        props={{ anchor, beside, id, label: buttonLabel, close, children }}
      />
    </>
  );
}
