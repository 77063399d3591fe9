/** Contains the failure of one wallet panel, so that the other panels still work. */
import { Component, type ErrorInfo, type ReactNode } from 'react';
import { Button } from '../components/Button.tsx';
import { log } from '../platform/page-log.ts';
import { reportWallet } from './wallet-analytics.ts';

/** The panel's download failed; the panel itself is fine. */
export class PanelMissing extends Error {
  override readonly name = 'PartMissing';
  constructor(cause: unknown) {
    super('This part of the wallet could not be loaded', { cause });
  }
}

interface Props {
  part: string;
  children: ReactNode;
  /** Called when the user asks to load a missing panel again. */
  onMissing?: () => void;
}

export class PanelBoundary extends Component<Props, { failed: false | 'broken' | 'missing' }> {
  override state: { failed: false | 'broken' | 'missing' } = { failed: false };

  static getDerivedStateFromError(error: unknown): { failed: 'broken' | 'missing' } {
    return { failed: error instanceof PanelMissing ? 'missing' : 'broken' };
  }

  override componentDidCatch(error: Error, { componentStack }: ErrorInfo): void {
    if (error instanceof PanelMissing) return;
    log.error(`The wallet's part ${this.props.part} failed`, error);
    reportWallet('componentError', {
      component: this.props.part,
      error: error.message,
      metadata: { message: error.message, stack: componentStack },
    });
  }

  override render(): ReactNode {
    if (this.state.failed === false) return this.props.children;
    if (this.state.failed === 'missing') {
      return (
        <div role="alert">
          <p>This panel could not be loaded. It has to be downloaded once while you are online.</p>
          <Button className="mt-3" onClick={this.props.onMissing}>
            Try again
          </Button>
        </div>
      );
    }
    return (
      <div role="alert">
        <p className="font-medium">Sorry, we had an unhandled error</p>
        <p className="mt-1 text-ink-2">
          This panel stopped working. Nothing was sent unless your wallet says so. The other panels
          still work.
        </p>
        <Button
          className="mt-3"
          onClick={() => {
            this.setState({ failed: false });
          }}
        >
          Try again
        </Button>
      </div>
    );
  }
}
