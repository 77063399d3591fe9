/** Loads a dialog when it first opens, to keep it out of the first paint. */
import { useEffect, useState, type ComponentType } from 'react';
import { log } from '../platform/page-log.ts';
import type { DialogProps } from './Dialog.tsx';

export const loadDialog = () => import('./Dialog.tsx');

export function LazyDialog(props: DialogProps) {
  const { open, onOpenChange } = props;
  const [Dialog, setDialog] = useState<ComponentType<DialogProps>>();
  useEffect(() => {
    if (!open || Dialog !== undefined) return;
    // A failed download is retried at the next press.
    loadDialog().then(
      (module) => {
        setDialog(() => module.Dialog);
      },
      (error: unknown) => {
        log.error('Could not load a dialog', error);
        onOpenChange(false);
      },
    );
  }, [open, Dialog, onOpenChange]);
  return Dialog === undefined ? null : <Dialog {...props} />;
}
