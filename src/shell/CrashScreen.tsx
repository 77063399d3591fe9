/** The screen shown after a rendering error, for the whole app or one screen. */
import { Component, useState, type ReactNode } from 'react';
import { Button, LinkButton } from '../components/Button.tsx';
import { log } from '../platform/page-log.ts';

interface BoundaryProps {
  children: ReactNode;
  fallback: (error: Error) => ReactNode;
  /** A change of it tries again. */ resetKey?: string;
}

export class Boundary extends Component<
  BoundaryProps,
  { error: Error | null; key: string | undefined }
> {
  override state: { error: Error | null; key: string | undefined } = {
    error: null,
    key: this.props.resetKey,
  };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(
    props: BoundaryProps,
    state: { error: Error | null; key: string | undefined },
  ) {
    return props.resetKey === state.key ? null : { error: null, key: props.resetKey };
  }

  override componentDidCatch(error: Error): void {
    log.error(`React Error: ${error.message}`);
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : this.props.fallback(this.state.error);
  }
}

/** The outermost boundary: the app itself could not be rendered. */
export function CrashScreen({
  error,
  onReload = () => {
    location.reload();
  },
}: {
  error: Error;
  onReload?: () => void;
}) {
  const [details, setDetails] = useState(false);
  return (
    <main
      role="alert"
      className="mx-auto flex min-h-dvh max-w-lg flex-col items-start justify-center gap-4 p-6"
    >
      <h1 className="text-xl">Something went wrong</h1>
      <p className="text-base text-ink-2">
        This page could not be displayed. Your agents run on the server and are not affected.
        Commands saved on this device are kept.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" onClick={onReload}>
          Reload Page
        </Button>
        <Button
          aria-expanded={details}
          onClick={() => {
            setDetails(!details);
          }}
        >
          {details ? 'Hide error details' : 'Error details'}
        </Button>
      </div>
      {details && (
        <pre className="max-h-64 w-full overflow-auto rounded-md bg-sunken p-3 text-xs whitespace-pre-wrap">
          {`React Error: ${error.message}`}
          {error.stack === undefined ? '' : `\n\n${error.stack}`}
        </pre>
      )}
    </main>
  );
}

/** One screen failed; the shell and Stop still work. */
export function RouteError({ error }: { error: Error & { status?: number; statusText?: string } }) {
  const what =
    error.status === undefined
      ? error.message
      : `${error.status} ${error.statusText ?? error.message}`;
  return (
    <div
      role="alert"
      className="mx-auto flex min-h-[50dvh] max-w-lg flex-col items-start justify-center gap-4"
    >
      <h1 className="text-xl">Unexpected Application Error!</h1>
      <p className="text-base break-words text-ink-2">{what}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          onClick={() => {
            location.reload();
          }}
        >
          Reload Page
        </Button>
        <LinkButton to="/stop-all" tone="danger-quiet">
          Stop all agents
        </LinkButton>
      </div>
    </div>
  );
}
