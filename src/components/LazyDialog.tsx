/**
 * The dialog for places that are on every screen, loaded when it first opens; refuses to cost the
 * first paint anything.
 */
import { useEffect, useState, type ComponentType } from 'react';
import { log } from '../platform/page-log.ts';
import type { DialogProps } from './Dialog.tsx';

export const loadDialog = () => import('./Dialog.tsx');

export function LazyDialog(props: DialogProps) {
  const { open, onOpenChange } = props;
  const [Dialog, setDialog] = useState<ComponentType<DialogProps>>();
  useEffect(() => {
    if (!open || Dialog !== undefined) return;
    // What could not be loaded is asked for again at the next press.
    loadDialog().then(
      (module) => {
        setDialog(() => module.Dialog);
      },
      (error: unknown) => {
        log.error('A dialog could not be loaded', error);
        onOpenChange(false);
      },
    );
  }, [open, Dialog, onOpenChange]);
  return Dialog === undefined ? null : <Dialog {...props} />;
}
