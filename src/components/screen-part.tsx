/**
 * A screen, or a part of one, whose code comes when it is first drawn. Where it cannot be loaded,
 * its place says so and everything else goes on.
 */
import {
  Component,
  createElement,
  lazy,
  useEffect,
  useEffectEvent,
  useState,
  useTransition,
  type ComponentType,
  type LazyExoticComponent,
  type ReactNode,
} from 'react';
import { log } from '../platform/page-log.ts';
import { useNetworkBack } from './use-network-back.ts';

type Kind = 'part' | 'screen';

/** The code could not be fetched, as opposed to a fault in it. */
class PartMissing extends Error {
  constructor(cause: unknown) {
    super('A part of the app could not be loaded', { cause });
    this.name = 'PartMissing';
  }
}

interface Failure {
  what: Kind;
  /** Stands under what is said, where the part would take the place of something. */
  meanwhile: ReactNode;
  /** It is asked for again at this moment. */
  isTrying: boolean;
  /** The failure is on the screen. */
  onShown: () => void;
  onRetry: () => void;
}

function Missing({ what, meanwhile, isTrying, onShown, onRetry }: Failure) {
  const shown = useEffectEvent(onShown);
  useEffect(() => {
    shown();
  }, []);
  useNetworkBack(onRetry);
  return (
    <>
      <div
        role="status"
        className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-l-2 border-amber py-1 pl-3 text-left text-amber"
      >
        <span>
          {navigator.onLine
            ? `This ${what} could not be loaded.`
            : `This ${what} is not on the device yet. It loads when you’re back online.`}
        </span>
        <button
          type="button"
          className="reach min-h-8 font-medium underline underline-offset-2 aria-disabled:opacity-60"
          aria-disabled={isTrying}
          onClick={isTrying ? undefined : onRetry}
        >
          Try again
        </button>
      </div>
      {meanwhile !== undefined && <div className="mt-4">{meanwhile}</div>}
    </>
  );
}

class PartBoundary extends Component<Failure & { children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // A fault in the part's own code is the screen's to show.
    if (!(error instanceof PartMissing)) throw error;
    const { what, meanwhile, isTrying, onShown, onRetry } = this.props;
    return <Missing {...{ what, meanwhile, isTrying, onShown, onRetry }} />;
  }
}

/**
 * A failure older than this has been shown to nobody: the one who waited for it had left. React draws
 * what it is about well within it, ms.
 */
const UNSEEN_MS = 5_000;

/** Draw it inside a `Suspense`, as with React's `lazy`. A download that failed can be tried again. */
export function screenPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  what: Kind = 'part',
): ComponentType<P & { meanwhile?: ReactNode }> {
  /** When it last failed to come, by the page's clock (ms). */
  let failedAt = Infinity;
  const fetchCode = (): Promise<{ default: ComponentType<P> }> =>
    load().catch((cause: unknown) => {
      failedAt = performance.now();
      log.error(`Could not load a ${what === 'part' ? 'part of a screen' : what}`, cause);
      throw new PartMissing(cause);
    });
  let Part: LazyExoticComponent<ComponentType<P>> = lazy(fetchCode);
  // Made anew for whoever draws it next: React remembers the failure with the part that failed.
  const forget = (): void => {
    failedAt = Infinity;
    Part = lazy(fetchCode);
  };
  return function ScreenPart(props: P & { meanwhile?: ReactNode }) {
    const [Drawn, setDrawn] = useState(() => {
      if (performance.now() - failedAt > UNSEEN_MS) forget();
      return Part;
    });
    const [attempt, setAttempt] = useState(0);
    const [isTrying, startTrying] = useTransition();
    // Not before the failure is shown: until then React begins this component again and again.
    const forgetShown = (): void => {
      if (Part === Drawn) forget();
    };
    const retry = (): void => {
      forgetShown();
      // What is said stays until there is something else to say.
      startTrying(() => {
        setDrawn(() => Part);
        setAttempt(attempt + 1);
      });
    };
    return (
      <PartBoundary
        key={attempt}
        what={what}
        meanwhile={props.meanwhile}
        isTrying={isTrying}
        onShown={forgetShown}
        onRetry={retry}
      >
        {createElement(Drawn as ComponentType<P>, props)}
      </PartBoundary>
    );
  };
}
