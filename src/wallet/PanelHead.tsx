/**
 * What all wallet panels show alike: what is not set up, which coins these are, and how to connect.
 */
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';

/**
 * A panel that is not set up here: what it would do, and which settings the operator needs.
 */
export function Needs({
  title,
  settings,
  children,
}: {
  title: string;
  settings: readonly string[];
  children: ReactNode;
}) {
  return (
    <div className="rule flex flex-col items-start gap-2 py-4">
      <p className="font-medium">{title}</p>
      <div className="max-w-[56ch] text-ink-2">{children}</div>
      <p className="max-w-full text-xs text-ink-3">
        For the operator:{' '}
        {settings.map((name, index) => (
          <span key={name} className="inline-block max-w-full">
            <code className="break-all">{name}</code>
            {index < settings.length - 1 && ','}&nbsp;
          </span>
        ))}
      </p>
    </div>
  );
}

/** Real coins are filled, test coins outlined: neither is the paper account's money. */
export function CoinsTag({ real }: { real: boolean }) {
  return (
    <span
      title={
        real
          ? 'Real coins on Base. This is real money'
          : 'Test coins on Base Sepolia. They have no value'
      }
      className={classes(
        'inline-flex h-5 items-center rounded-sm px-1.5 text-[0.6875rem] font-semibold tracking-[0.08em] whitespace-nowrap',
        real ? 'bg-ink text-ground' : 'border border-line-strong text-ink-2',
      )}
    >
      {real ? 'REAL COINS' : 'TEST COINS'}
    </span>
  );
}

/** The line under a panel's title: what it does, and with which coins. */
export function PanelHead({
  title,
  real,
  children,
}: {
  title: string;
  real: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="mb-4 max-w-[60ch]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="text-base font-semibold">{title}</h3>
        <CoinsTag real={real} />
      </div>
      {children !== undefined && <p className="mt-1 text-ink-2">{children}</p>}
    </div>
  );
}

/** A link to another panel of the wallet. */
export function PanelLink({
  id,
  children,
  tone = 'quiet',
}: {
  id: string;
  children: ReactNode;
  tone?: 'quiet' | 'primary';
}) {
  const [, setSearch] = useSearchParams();
  return (
    <Button
      tone={tone}
      onClick={() => {
        setSearch((old) => {
          const next = new URLSearchParams(old);
          next.set('wallet', id);
          return next;
        });
      }}
    >
      {children}
    </Button>
  );
}

/** Shown instead of a panel that needs a wallet while none is connected. */
export function ConnectFirst({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="text-ink-2">{children}</p>
      <PanelLink id="account" tone="primary">
        Connect a wallet
      </PanelLink>
    </div>
  );
}
