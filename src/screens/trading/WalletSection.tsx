/** The wallet's place on the trading screen. The kit is loaded only on request. */
import { Component, lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { Section } from '../../components/Section.tsx';
import { log } from '../../platform/page-log.ts';
import { connection } from '../../stores/connection.ts';
import { walletRemembered } from '../../wallet/connect/remembered-wallet.ts';

const load = () => import('../../wallet/WalletRoot.tsx');

/** Contains a failure of the kit to its own part of the screen. */
class WalletBoundary extends Component<
  { children: ReactNode; onRetry: () => void },
  { failed: boolean }
> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    log.error('Could not show the wallet', error);
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div role="alert" className="mt-2">
        <p>Could not load the wallet. Trading is not affected.</p>
        <Button className="mt-2" onClick={this.props.onRetry}>
          Try again
        </Button>
      </div>
    );
  }
}

/** A link to a part of the wallet scrolls to it. */
export function WalletSection() {
  const { online } = useSnapshot(connection);
  // A wallet connected here before reconnects by itself; for all others the kit is not downloaded.
  const [attempt, setAttempt] = useState<{
    number: number;
    Panel: ReturnType<typeof lazyPanel>;
  } | null>(() => (walletRemembered(document.cookie) ? { number: 1, Panel: lazyPanel() } : null));
  const show = (): void => {
    setAttempt((old) => ({ number: (old?.number ?? 0) + 1, Panel: lazyPanel() }));
  };
  const offline = online === 'offline';
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!new URLSearchParams(location.search).has('wallet')) return;
    // After the route change, which scrolls to the top.
    const frame = requestAnimationFrame(() => {
      place.current?.scrollIntoView({ block: 'start' });
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  }, []);
  return (
    <div ref={place} className="scroll-mt-20">
      <Section title="Wallet">
        {attempt === null ? (
          <>
            <p className={offline ? 'text-amber' : 'text-ink-2'}>
              {offline
                ? "You're offline. The wallet needs a connection."
                : 'A smart wallet on Base, separate from your paper account. It loads when you press the button.'}
            </p>
            <Button className="mt-3" disabled={offline} onClick={show}>
              Show wallet
            </Button>
          </>
        ) : (
          <WalletBoundary key={attempt.number} onRetry={show}>
            <Suspense fallback={<SkeletonRows rows={2} label="Loading wallet" />}>
              <attempt.Panel />
            </Suspense>
          </WalletBoundary>
        )}
      </Section>
    </div>
  );
}

function lazyPanel() {
  return lazy(load);
}
