/** Connect, disconnect, change chain, address and balance; refuses to hide why a wallet did not do it. */
import { useAccount, useBalance, useConnect, useConnectors, useDisconnect, useSwitchChain } from 'wagmi';
import { formatUnits } from 'viem';
import { Button } from '../components/Button.tsx';
import { walletSentence } from './wallet-errors.ts';

const BALANCE_DECIMALS = 6;

/** Native balance cut, not rounded, to six decimals: never more than there is. */
function balanceText(value: bigint, decimals: number, symbol: string): string {
  const [whole = '0', fraction = ''] = formatUnits(value, decimals).split('.');
  const shown = fraction.slice(0, BALANCE_DECIMALS).replace(/0+$/, '');
  return `${whole}${shown === '' ? '' : `.${shown}`} ${symbol}`;
}

function Failure({ error }: { error: unknown }) {
  return <p role="alert" className="mt-2 text-sm text-danger">{walletSentence(error)}</p>;
}

function Connect({ busy }: { busy: boolean }) {
  const { connect, error, isPending } = useConnect();
  const [connector] = useConnectors();
  return (
    <>
      <p className="mt-1 text-ink-2">Connect a smart wallet on Base or Base Sepolia. Trading stays on paper: no agent can spend from it.</p>
      <Button tone="primary" className="mt-3" busy={busy || isPending} disabled={connector === undefined} onClick={() => { if (connector !== undefined) connect({ connector }); }}>
        {busy || isPending ? 'Connecting' : 'Connect wallet'}
      </Button>
      {error !== null && <Failure error={error} />}
    </>
  );
}

/** `status` is one of disconnected, connecting, reconnecting, connected. */
export function WalletAccount() {
  const account = useAccount();
  const { disconnect, error: disconnectError } = useDisconnect();
  const { chains, error: switchError, isPending: switching, switchChain } = useSwitchChain();
  const balance = useBalance({ ...(account.address === undefined ? {} : { address: account.address }), query: { enabled: account.address !== undefined } });
  if (account.status !== 'connected') {
    return <div data-wallet-status={account.status}><Connect busy={account.status !== 'disconnected'} /></div>;
  }
  const known = chains.some((chain) => chain.id === account.chainId);
  return (
    <div data-wallet-status={account.status}>
      <dl className="mt-3 grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
        <dt className="text-ink-2">Address</dt>
        <dd className="break-all">{account.address}</dd>
        <dt className="text-ink-2">Balance</dt>
        <dd>{balance.data !== undefined ? balanceText(balance.data.value, balance.data.decimals, balance.data.symbol)
          : balance.error !== null ? 'Not known: the chain did not answer' : 'Asking the chain'}</dd>
        <dt className="text-ink-2"><label htmlFor="wallet-chain">Chain</label></dt>
        <dd>
          <select
            id="wallet-chain" className="rounded-md border border-line-strong bg-surface px-2 py-2" disabled={switching}
            value={known ? account.chainId : ''}
            onChange={(event) => { switchChain({ chainId: Number(event.target.value) }); }}
          >
            {!known && <option value="" disabled>Another chain</option>}
            {chains.map((chain) => <option key={chain.id} value={chain.id}>{chain.name}</option>)}
          </select>
        </dd>
      </dl>
      <Button tone="quiet" className="mt-3" onClick={() => { disconnect(); }}>Disconnect</Button>
      {switchError !== null && <Failure error={switchError} />}
      {disconnectError !== null && <Failure error={disconnectError} />}
    </div>
  );
}
