/** The screen shown while a screen's code is loading. */
import { Logo } from './Logo.tsx';

export function LoadingScreen() {
  return (
    <div
      role="status"
      className="flex min-h-[60dvh] flex-col items-center justify-center gap-3 text-ink-3"
    >
      <Logo className="size-8" />
      <span>Loading...</span>
    </div>
  );
}
