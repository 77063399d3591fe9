/**
 * A part of a screen whose code comes when it is first drawn. Where it cannot be loaded, the part
 * says so and the rest of the screen goes on.
 */
import {
  Component,
  createElement,
  lazy,
  useEffect,
  useState,
  type ComponentType,
  type LazyExoticComponent,
  type ReactNode,
} from 'react';
import { log } from '../platform/page-log.ts';

/** The code could not be fetched, as opposed to a fault in it. */
class PartMissing extends Error {
  constructor(cause: unknown) {
    super('A part of the app could not be loaded', { cause });
    this.name = 'PartMissing';
  }
}

function Missing({ onRetry }: { onRetry: () => void }) {
  useEffect(() => {
    addEventListener('online', onRetry);
    return () => {
      removeEventListener('online', onRetry);
    };
  }, [onRetry]);
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-l-2 border-amber py-1 pl-3 text-left text-amber"
    >
      <span>
        {navigator.onLine
          ? 'This part could not be loaded.'
          : 'This part is not on the device yet. It loads when you’re back online.'}
      </span>
      <button
        type="button"
        className="reach min-h-8 font-medium underline underline-offset-2"
        onClick={onRetry}
      >
        Try again
      </button>
    </div>
  );
}

class PartBoundary extends Component<
  { children: ReactNode; onRetry: () => void },
  { error: Error | null }
> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // A fault in the part's own code is the screen's to show.
    if (!(error instanceof PartMissing)) throw error;
    return <Missing onRetry={this.props.onRetry} />;
  }
}

/** Draw it inside a `Suspense`, as with React's `lazy`. A download that failed can be tried again. */
export function screenPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  const fetchCode = (): Promise<{ default: ComponentType<P> }> =>
    load().catch((cause: unknown) => {
      log.error('Could not load a part of a screen', cause);
      throw new PartMissing(cause);
    });
  let Part: LazyExoticComponent<ComponentType<P>> = lazy(fetchCode);
  return function ScreenPart(props: P) {
    const [Drawn, setDrawn] = useState(() => Part);
    const [attempt, setAttempt] = useState(0);
    const retry = (): void => {
      // Made anew: React remembers the failure with the part that failed.
      if (Part === Drawn) Part = lazy(fetchCode);
      setDrawn(() => Part);
      setAttempt(attempt + 1);
    };
    return (
      <PartBoundary key={attempt} onRetry={retry}>
        {createElement(Drawn as ComponentType<P>, props)}
      </PartBoundary>
    );
  };
}
