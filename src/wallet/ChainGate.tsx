/**
 * Shows its content only while the wallet is on the given chain, and otherwise offers to switch.
 */
import type { ReactNode } from 'react';
import { useAccount, useChains, useSwitchChain } from 'wagmi';
import { Button } from '../components/Button.tsx';
import { walletSentence } from './wallet-errors.ts';

export function ChainGate({ chainId, children }: { chainId: number; children: ReactNode }) {
  const account = useAccount();
  const chains = useChains();
  const { error, isPending, switchChain } = useSwitchChain();
  const name = (id: number | undefined): string =>
    chains.find((chain) => chain.id === id)?.name ?? 'another network';
  if (account.chainId === chainId) return children;
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-ink-2">
        This works on {name(chainId)}. Your wallet is on {name(account.chainId)}.
      </p>
      <Button
        busy={isPending}
        onClick={() => {
          switchChain({ chainId });
        }}
      >
        Switch to {name(chainId)}
      </Button>
      {error !== null && (
        <p role="alert" className="text-danger">
          {walletSentence(error)}
        </p>
      )}
    </div>
  );
}
