/**
 * The place of the kit's own parts: its stylesheet, held to this place, and our colours in it;
 * refuses to reach any other screen.
 */
import type { ReactNode } from 'react';
import '@coinbase/onchainkit/styles.css';
import './kit-theme.css';

export function KitFrame({ children }: { children: ReactNode }) {
  return <div className="wallet-kit max-w-md">{children}</div>;
}
