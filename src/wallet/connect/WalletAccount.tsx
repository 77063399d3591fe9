/** Connect, disconnect, change network, address and balance. */
import { Check, Copy, ExternalLink, RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  useAccount,
  useConfig,
  useConnect,
  useConnections,
  useConnectors,
  useDisconnect,
  useSwitchAccount,
  useSwitchChain,
  type Connector,
} from 'wagmi';
import { base } from 'wagmi/chains';
import { Age } from '../../components/Age.tsx';
import { Button } from '../../components/Button.tsx';
import { Skeleton } from '../../components/EmptyState.tsx';
import { LazyDialog } from '../../components/LazyDialog.tsx';
import { Line } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/Tags.tsx';
import { shortAddress } from '../../format/addresses.ts';
import { ConnectTerms } from './ConnectTerms.tsx';
import { isInPage } from './connectors.ts';
import { heldEther } from '../send/ether.ts';
import { FailureNote } from '../FailureNote.tsx';
import { WalletIdentity } from '../identity/WalletIdentity.tsx';
import { LinkAddress } from './LinkAddress.tsx';
import { CoinsTag } from '../PanelHead.tsx';
import { useWalletSettings } from '../wallet-settings.ts';
import { walletFailure } from '../wallet-errors.ts';
import { useEtherBalance, useKnownChain, useNoNetwork } from '../use-wallet.ts';

/** A balance older than this is marked, ms. */
const BALANCE_STALE_MS = 60_000;
/** The clipboard may hold something else after this long, ms. */
const COPIED_MS = 4_000;

/** What to expect from each wallet, shown before the choice. */
function aboutConnector({ id, type }: Connector): string {
  if (type === 'coinbaseWallet')
    return 'A smart wallet with a passkey, by Coinbase. Opens in a new window. Nothing to install.';
  return isInPage(id) ? 'Installed in this browser.' : 'Not installed in this browser.';
}

function ConnectorChoice({
  connectors,
  busy,
  onChoose,
}: {
  connectors: readonly Connector[];
  busy: boolean;
  onChoose: (connector: Connector) => void;
}) {
  return (
    <ul className="mt-3 max-w-xl">
      {connectors.map((connector) => (
        <li key={connector.uid} className="rule row flex items-center justify-between gap-4 py-2">
          <span className="min-w-0">
            <span className="font-medium">{connector.name}</span>
            <span className="block text-sm text-ink-3">{aboutConnector(connector)}</span>
          </span>
          <Button
            size="sm"
            disabled={busy}
            onClick={() => {
              onChoose(connector);
            }}
          >
            Connect <span className="sr-only">{connector.name}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** The choice of wallets as a dialog. */
function ConnectInWindow({
  busy,
  noNetwork,
  onChoose,
}: {
  busy: boolean;
  noNetwork: boolean;
  onChoose: (connector: Connector) => void;
}) {
  const connectors = useConnectors();
  const [choosing, setChoosing] = useState(false);
  return (
    <>
      <Button
        tone="primary"
        className="mt-3"
        busy={busy}
        disabled={noNetwork}
        onClick={() => {
          setChoosing(true);
        }}
      >
        {busy ? 'Connecting' : 'Choose a wallet'}
      </Button>
      <LazyDialog open={choosing} onOpenChange={setChoosing} title="Connect a wallet">
        <ConnectorChoice
          connectors={connectors}
          busy={busy || noNetwork}
          onChoose={(connector) => {
            setChoosing(false);
            onChoose(connector);
          }}
        />
        <ConnectTerms />
      </LazyDialog>
    </>
  );
}

/** One available wallet is one button, several are a choice. */
function ConnectHere({
  busy,
  noNetwork,
  onChoose,
}: {
  busy: boolean;
  noNetwork: boolean;
  onChoose: (connector: Connector) => void;
}) {
  const connectors = useConnectors();
  const [only] = connectors;
  return connectors.length > 1 ? (
    <ConnectorChoice connectors={connectors} busy={busy || noNetwork} onChoose={onChoose} />
  ) : (
    <Button
      tone="primary"
      className="mt-3"
      busy={busy}
      disabled={only === undefined || noNetwork}
      onClick={() => {
        if (only !== undefined) onChoose(only);
      }}
    >
      {busy ? 'Connecting' : 'Connect wallet'}
    </Button>
  );
}

type ConnectStatus = 'connecting' | 'disconnected' | 'reconnecting';

function connectText(status: ConnectStatus, noNetwork: boolean, isPending: boolean): string {
  if (noNetwork) return 'You are offline. You can connect a wallet when you are back online.';
  if (status === 'reconnecting') return 'Reconnecting to your wallet.';
  return isPending ? 'Confirm in your wallet. Its window may be behind this one.' : '';
}

/** Connects in a dialog where the settings say so. */
function Connect({ status }: { status: ConnectStatus }) {
  const { connect, error, isPending, reset } = useConnect();
  const noNetwork = useNoNetwork();
  const busy = status !== 'disconnected' || isPending;
  const config = useConfig();
  const inWindow = useWalletSettings().kit.config.wallet.display === 'modal';
  const begin = (connector: Connector): void => {
    reset();
    connect({ connector });
  };
  // A window that was closed before it was there tells nobody. An answer that comes after all still
  // counts.
  const stopWaiting = (): void => {
    reset();
    config.setState((state) => ({
      ...state,
      status: state.current === null ? 'disconnected' : 'connected',
    }));
  };
  return (
    <>
      <p className="mt-2 max-w-[64ch] text-ink-2">
        Connect a wallet on Base or Base Sepolia. Agents cannot spend from it.
      </p>
      {inWindow ? (
        <ConnectInWindow busy={busy} noNetwork={noNetwork} onChoose={begin} />
      ) : (
        <ConnectHere busy={busy} noNetwork={noNetwork} onChoose={begin} />
      )}
      <p role="status" className="mt-2 min-h-5 text-sm text-ink-3">
        {connectText(status, noNetwork, isPending)}
      </p>
      {isPending && (
        <Button size="sm" onClick={stopWaiting}>
          Cancel
        </Button>
      )}
      {error !== null && <FailureNote error={error} act="connect" />}
      {!inWindow && <ConnectTerms />}
    </>
  );
}

function Address({ address, explorer }: { address: string; explorer: string | null }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => {
      setCopied(false);
    }, COPIED_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [copied]);
  const copy = (): void => {
    navigator.clipboard.writeText(address).then(
      () => {
        setCopied(true);
      },
      () => {
        setCopied(false);
      },
    );
  };
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-x-1">
      <span className="font-mono text-sm break-all max-sm:sr-only">{address}</span>
      <span aria-hidden className="font-mono text-sm sm:hidden">
        {shortAddress(address)}
      </span>
      <Button
        tone="plain"
        size="icon"
        aria-label={copied ? 'Address copied' : 'Copy address'}
        onClick={copy}
      >
        {copied ? (
          <Check className="size-4" aria-hidden />
        ) : (
          <Copy className="size-4" aria-hidden />
        )}
      </Button>
      {explorer !== null && (
        <a
          href={`${explorer}/address/${address}`}
          target="_blank"
          rel="noreferrer"
          aria-label="View address in the block explorer"
          className="inline-flex size-11 items-center justify-center text-accent pointer-fine:size-9"
        >
          <ExternalLink className="size-4" aria-hidden />
        </a>
      )}
    </span>
  );
}

function Balance() {
  const chain = useKnownChain();
  const { data, dataUpdatedAt, error, isFetching, refetch } = useEtherBalance();
  if (chain === null) return <span className="text-ink-3">— on a network other than Base</span>;
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-x-2">
      {data === undefined && error === null && <Skeleton className="h-4 w-24" />}
      {data === undefined && error !== null && (
        <span className="text-ink-3">— {walletFailure(error, 'read').happened}</span>
      )}
      {data !== undefined && (
        <>
          <span className="font-medium" data-balance>
            {heldEther(data.value)} ETH
          </span>
          <CoinsTag real={chain.id === base.id} />
          <Age savedAt={dataUpdatedAt} staleAfterMs={BALANCE_STALE_MS} />
        </>
      )}
      <Button
        tone="plain"
        size="icon"
        aria-label="Refresh balance"
        aria-busy={isFetching || undefined}
        onClick={() => {
          void refetch();
        }}
      >
        <RefreshCw className={isFetching ? 'spin size-4' : 'size-4'} aria-hidden />
      </Button>
    </span>
  );
}

function Network() {
  const { chainId } = useAccount();
  const { chains, error, isPending, switchChain, variables } = useSwitchChain();
  const known = chains.some(({ id }) => id === chainId);
  const shown = isPending ? variables.chainId : chainId;
  return (
    <>
      <div className="rule row flex items-center justify-between gap-4 py-1.5">
        <label htmlFor="wallet-chain" className="text-ink-2">
          Network
        </label>
        <select
          id="wallet-chain"
          className="h-11 rounded-md border border-line-strong/70 bg-surface px-2 pointer-fine:h-9"
          disabled={isPending}
          value={isPending || known ? shown : ''}
          onChange={(event) => {
            switchChain({ chainId: Number(event.target.value) });
          }}
        >
          {!known && (
            <option value="" disabled>
              Another network ({chainId})
            </option>
          )}
          {chains.map((chain) => (
            <option key={chain.id} value={chain.id}>
              {chain.name}
            </option>
          ))}
        </select>
      </div>
      {isPending && (
        <p role="status" className="mt-1 text-right text-sm text-ink-3">
          Confirm the network change in your wallet.
        </p>
      )}
      {!known && (
        <p role="status" className="mt-2 text-sm text-amber">
          Your wallet is on an unsupported network. Choose Base or Base Sepolia.
        </p>
      )}
      {error !== null && <FailureNote error={error} act="switch" />}
    </>
  );
}

/** Several wallets may be connected; one is in use. */
function Connections() {
  const connections = useConnections();
  const { connector: current } = useAccount();
  const { switchAccount, error } = useSwitchAccount();
  const { connect, error: connectError, isPending, reset } = useConnect();
  const [choosing, setChoosing] = useState(false);
  const others = useConnectors().filter(
    ({ uid }) => !connections.some(({ connector }) => connector.uid === uid),
  );
  return (
    <>
      {connections.length > 1 && (
        <ul aria-label="Connected wallets" className="mt-3">
          {connections.map(({ accounts, connector }) => (
            <li
              key={connector.uid}
              className="rule row flex items-center justify-between gap-4 py-1.5"
            >
              <span>
                {connector.name}{' '}
                <span className="font-mono text-sm text-ink-3">{shortAddress(accounts[0])}</span>
              </span>
              {connector.uid === current?.uid ? (
                <StatusBadge tone="good">In use</StatusBadge>
              ) : (
                <Button
                  size="sm"
                  onClick={() => {
                    switchAccount({ connector });
                  }}
                >
                  Use <span className="sr-only">{connector.name}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 &&
        (choosing ? (
          <ConnectorChoice
            connectors={others}
            busy={isPending}
            onChoose={(connector) => {
              reset();
              connect(
                { connector },
                {
                  onSuccess: () => {
                    setChoosing(false);
                  },
                },
              );
            }}
          />
        ) : (
          <Button
            className="mt-3 mr-2"
            onClick={() => {
              setChoosing(true);
            }}
          >
            Connect another wallet
          </Button>
        ))}
      {connectError !== null && <FailureNote error={connectError} act="connect" />}
      {error !== null && <FailureNote error={error} act="connect" />}
    </>
  );
}

function Leave() {
  const config = useConfig();
  // Forget the connection, so that the wallet is not loaded again until the user asks for it.
  const forget = (): void => {
    if (config.state.connections.size === 0) void config.storage?.removeItem('recentConnectorId');
  };
  // Reported through the hook, because this button is unmounted by then.
  const { disconnect, error } = useDisconnect({ mutation: { onSuccess: forget } });
  return (
    <>
      <Button
        className="mt-3"
        onClick={() => {
          disconnect();
        }}
      >
        Disconnect
      </Button>
      {error !== null && <FailureNote error={error} act="disconnect" />}
    </>
  );
}

/** `status` is one of disconnected, connecting, reconnecting, connected. */
export function WalletAccount() {
  const { address, connector, status } = useAccount();
  const chain = useKnownChain();
  if (address === undefined || (status !== 'connected' && status !== 'reconnecting')) {
    return (
      <div data-wallet-status={status}>
        <Connect status={status} />
      </div>
    );
  }
  return (
    <div data-wallet-status={status} className="max-w-2xl">
      <dl className="mt-3">
        <Line term="Wallet">
          <StatusBadge tone={status === 'connected' ? 'good' : 'neutral'}>
            {connector?.name} · {status === 'connected' ? 'connected' : 'reconnecting'}
          </StatusBadge>
        </Line>
        <Line term="Address">
          <Address key={address} address={address} explorer={chain?.explorer ?? null} />
        </Line>
        <Line term="Balance">
          <Balance />
        </Line>
      </dl>
      <Network />
      <Connections />
      <Leave />
      <div className="rule mt-5 py-3">
        <WalletIdentity address={address} />
      </div>
      {chain !== null && <LinkAddress key={address} address={address} chainId={chain.id} />}
    </div>
  );
}
