/** Tells the rest of the page which wallet is connected, for as long as the page lives. */
import type { Config } from 'wagmi';
import { noteWallet } from '../../stores/wallet-note.ts';

const followed = new WeakSet<Config>();

function publish(config: Config, now = Date.now()): void {
  const { connections, current, status } = config.state;
  const connection = current === null ? undefined : connections.get(current);
  if (status === 'connected' && connection !== undefined) {
    const chain = config.chains.find(({ id }) => id === connection.chainId);
    noteWallet({
      address: connection.accounts[0],
      chain: chain?.name ?? 'Another network',
      testCoins: chain?.testnet === true,
      at: now,
    });
  } else if (status === 'disconnected') {
    noteWallet(null);
  }
}

export function followWallet(config: Config): void {
  if (followed.has(config)) return;
  followed.add(config);
  if (config.state.status === 'connected') publish(config);
  config.subscribe(
    (state) => state,
    () => {
      publish(config);
    },
  );
}
