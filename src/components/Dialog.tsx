/** A dialog over the page (a sheet from below on a phone); refuses to open without a title. */
import * as Radix from '@radix-ui/react-dialog';
import { X } from 'lucide-react';
import { useLayoutEffect, useRef, type ReactNode } from 'react';

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What will happen and to how much, in a sentence. */
  description?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

export function Dialog({ open, onOpenChange, title, description, children, actions }: DialogProps) {
  /** Where the keyboard was: it is handed back there, whatever opened the dialog. */
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => { if (open) before.current = document.activeElement; }, [open]);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[var(--scrim)]" />
        <Radix.Content onCloseAutoFocus={(event) => { event.preventDefault(); if (before.current instanceof HTMLElement) before.current.focus(); }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className="float-in fixed inset-x-0 bottom-0 z-50 max-h-[88dvh] overflow-y-auto rounded-t-lg bg-surface p-5 pb-[max(1.25rem,env(safe-area-inset-bottom))] shadow-float sm:inset-x-auto sm:top-[18dvh] sm:bottom-auto sm:left-[max(1rem,calc(50vw-15rem))] sm:w-[min(30rem,calc(100vw-2rem))] sm:rounded-lg">
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
            <Radix.Close aria-label="Close" className="-m-2 flex size-11 shrink-0 items-center justify-center rounded-md text-ink-3 hover:text-ink"><X className="size-5" aria-hidden /></Radix.Close>
          </div>
          {description !== undefined && <Radix.Description asChild><div className="mt-1 text-ink-2">{description}</div></Radix.Description>}
          {children !== undefined && <div className="mt-4">{children}</div>}
          {actions !== undefined && <div className="mt-5 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">{actions}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
