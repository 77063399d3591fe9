/** A failed read above the parts of a screen, with its own distance to what follows. */
import type { ComponentProps } from 'react';
import { ReadError } from './EmptyState.tsx';

export function ScreenError(props: ComponentProps<typeof ReadError>) {
  return (
    <div className="mb-4 empty:hidden">
      <ReadError {...props} />
    </div>
  );
}
