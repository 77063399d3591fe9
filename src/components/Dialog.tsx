/** A dialog over the page; on a phone, a sheet from below. */
import * as Radix from '@radix-ui/react-dialog';
import { X } from 'lucide-react';
import { useDeferredValue, useLayoutEffect, useRef, type ReactNode } from 'react';
import { classes } from './class-names.ts';
import { SessionEnds } from './SessionEnds.tsx';
import { useHeldBack } from './use-held-back.ts';

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What will happen and to how much, in a sentence. */
  description?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  /** For forms of several parts. */
  wide?: boolean;
  /** Called on a press outside, Escape or Back, in place of closing: entries would be lost. */
  onStray?: (() => void) | undefined;
}

function focusOn(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus();
}

function DialogHead({ title, description }: Pick<DialogProps, 'title' | 'description'>) {
  return (
    <>
      <div className="flex items-start justify-between gap-4">
        <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
        <Radix.Close
          aria-label="Close"
          className="-m-2 flex size-11 shrink-0 items-center justify-center rounded-md text-ink-3 hover:text-ink"
        >
          <X className="size-5" aria-hidden />
        </Radix.Close>
      </div>
      {description !== undefined && (
        <Radix.Description asChild>
          <div className="mt-1 text-ink-2">{description}</div>
        </Radix.Description>
      )}
      <SessionEnds />
    </>
  );
}

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  actions,
  wide = false,
  onStray,
}: DialogProps) {
  /** The element that had the focus, which gets it back. */
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (open) before.current = document.activeElement;
  }, [open]);
  // The press is shown with the next picture, and the dialog with the one after. One that is closed
  // is out of sight and out of reach at once, and leaves the page after that.
  const late = useDeferredValue(open, false);
  const isLeaving = !open && late;
  const content = useRef<HTMLDivElement>(null);
  // The page has its focus back before the next key. `inert` keeps the dialog from taking it again.
  useLayoutEffect(() => {
    if (isLeaving && content.current?.contains(document.activeElement) !== false)
      focusOn(before.current);
  }, [isLeaving]);
  const gone = isLeaving ? 'invisible' : '';
  useHeldBack(open ? onStray : undefined);
  const stay = (event: Event): void => {
    if (onStray === undefined) return;
    event.preventDefault();
    onStray();
  };
  return (
    <Radix.Root open={late} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={classes('fixed inset-0 z-40 bg-[var(--scrim)]', gone)} />
        <Radix.Content
          ref={content}
          inert={isLeaving}
          onPointerDownOutside={stay}
          onEscapeKeyDown={stay}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (document.activeElement === document.body) focusOn(before.current);
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={classes(
            gone,
            'float-in fixed inset-x-0 bottom-0 z-50 flex max-h-[88dvh] flex-col rounded-t-lg bg-surface shadow-float sm:inset-x-auto sm:bottom-auto sm:rounded-lg',
            wide
              ? 'sm:top-[6dvh] sm:left-[max(1rem,calc(50vw-21rem))] sm:max-h-[88dvh] sm:w-[min(42rem,calc(100vw-2rem))]'
              : 'sm:top-[12dvh] sm:left-[max(1rem,calc(50vw-15rem))] sm:max-h-[82dvh] sm:w-[min(30rem,calc(100vw-2rem))]',
          )}
        >
          {/* The body scrolls; the buttons stay visible. */}
          <div className="min-h-0 overflow-y-auto p-5 pb-[max(1.25rem,env(safe-area-inset-bottom))]">
            <DialogHead title={title} description={description} />
            {children !== undefined && <div className="mt-4">{children}</div>}
          </div>
          {actions !== undefined && (
            <div className="flex shrink-0 flex-col-reverse gap-2 border-t border-line px-5 py-4 pb-[max(1rem,env(safe-area-inset-bottom))] sm:flex-row sm:justify-end">
              {actions}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
