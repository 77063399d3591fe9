/** What stands in the way where the wallet is on another chain than a part works on. */
import type { ReactNode } from 'react';
import { useAccount, useChains, useSwitchChain } from 'wagmi';
import { Button } from '../components/Button.tsx';
import { walletSentence } from './wallet-errors.ts';

function WrongChain({ chainId, children }: { chainId: number; children?: ReactNode }) {
  const account = useAccount();
  const chains = useChains();
  const { error, isPending, switchChain } = useSwitchChain();
  const name = (id: number | undefined): string =>
    chains.find((chain) => chain.id === id)?.name ?? 'another network';
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-ink-2">
        This works on {name(chainId)}. Your wallet is on {name(account.chainId)}.
      </p>
      {children}
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

/** Says so and offers to switch; null while the wallet is on the given chain, or none is connected. */
export function useChainGate(chainId: number, more?: ReactNode): ReactNode {
  const account = useAccount();
  const isFine = account.chainId === chainId || account.address === undefined;
  return isFine ? null : <WrongChain chainId={chainId}>{more}</WrongChain>;
}
