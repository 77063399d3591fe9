/** The frame around the kit's components: scopes its stylesheet and gives it our colours. */
import type { ReactNode } from 'react';
import '@coinbase/onchainkit/styles.css';
import './kit-theme.css';

export function KitFrame({ children }: { children: ReactNode }) {
  return <div className="wallet-kit max-w-md">{children}</div>;
}
