/** Loads a dialog when it first opens, to keep it out of the first paint. */
import type { DialogProps } from './Dialog.tsx';
import { latePart, LatePart } from './LatePart.tsx';

const dialog = latePart<DialogProps>('a dialog', async () => (await import('./Dialog.tsx')).Dialog);

/** A download that failed takes the press back; the next one tries again. */
export function LazyDialog(props: DialogProps) {
  const { open, onOpenChange } = props;
  return (
    <LatePart
      part={dialog}
      needed={open}
      onMissing={() => {
        onOpenChange(false);
      }}
      props={props}
    />
  );
}
