/** Holds the failure of one part of the wallet within it; refuses to take the other parts with it. */
import { Component, type ErrorInfo, type ReactNode } from 'react';
import { Button } from '../components/Button.tsx';
import { log } from '../log.ts';
import { reportWallet } from './wallet-analytics.ts';

interface Props { part: string; children: ReactNode }

export class PartBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidCatch(error: Error, { componentStack }: ErrorInfo): void {
    log.error(`The wallet's part ${this.props.part} failed`, error);
    reportWallet('componentError', { component: this.props.part, error: error.message, metadata: { message: error.message, stack: componentStack } });
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div role="alert">
        <p className="font-medium">Sorry, we had an unhandled error</p>
        <p className="mt-1 text-ink-2">This part of the wallet stopped. Nothing was sent by it unless the wallet said so; the other parts still work.</p>
        <Button className="mt-3" onClick={() => { this.setState({ failed: false }); }}>Try again</Button>
      </div>
    );
  }
}
