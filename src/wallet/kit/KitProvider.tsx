/**
 * The kit's provider with all its settings, for the whole wallet or for a panel that works on one
 * chain.
 */
import { useEffect, useMemo, type ReactNode } from 'react';
import { OnchainKitProvider, setOnchainKitConfig } from '@coinbase/onchainkit';
import { base, baseSepolia } from 'wagmi/chains';
import type { WalletKitSettings } from './kit-settings.ts';

/**
 * The kit makes a session id of its own, whatever its provider is given: ours is put in its place.
 */
function Session({ id }: { id: string }) {
  useEffect(() => {
    setOnchainKitConfig({ sessionId: id });
  }, [id]);
  return null;
}

/**
 * The kit's plain theme follows the app's own colours, unless light or dark is asked of it by name.
 */
const OUR_THEME = 'tradewind';

function lookOf({
  appearance,
}: WalletKitSettings['config']):
  | WalletKitSettings['config']['appearance']
  | (Omit<WalletKitSettings['config']['appearance'], 'theme'> & { theme: typeof OUR_THEME }) {
  return appearance.theme === 'default' && appearance.mode === 'auto'
    ? { ...appearance, theme: OUR_THEME }
    : appearance;
}

const chainOf = (id: WalletKitSettings['chainId']) => (id === base.id ? base : baseSepolia);

/** It heeds `analytics` beside its config, not within. */
export function Kit({ settings, children }: { settings: WalletKitSettings; children: ReactNode }) {
  const { address, apiKey, config, projectId, rpcUrl } = settings;
  const shown = useMemo(() => ({ ...config, appearance: lookOf(config) }), [config]);
  return (
    <OnchainKitProvider
      chain={chainOf(settings.chainId)}
      analytics={config.analytics}
      schemaId={settings.schemaId}
      config={shown}
      {...(address === null ? {} : { address })}
      {...(apiKey === null ? {} : { apiKey })}
      {...(projectId === null ? {} : { projectId })}
      {...(rpcUrl === null ? {} : { rpcUrl })}
    >
      <Session id={settings.sessionId} />
      {children}
    </OnchainKitProvider>
  );
}

/**
 * A part whose service answers at the keyed address alone, whatever node the chain itself is asked
 * at, and for one chain: the kit keeps one setting for all its calls, which is put back afterwards.
 */
export function KitService({
  settings,
  chainId,
  children,
}: {
  settings: WalletKitSettings;
  chainId: WalletKitSettings['chainId'];
  children: ReactNode;
}) {
  const { chainId: outside, rpcUrl } = settings;
  useEffect(
    () => () => {
      setOnchainKitConfig({ chain: chainOf(outside), rpcUrl });
    },
    [outside, rpcUrl],
  );
  return <Kit settings={{ ...settings, chainId, rpcUrl: null }}>{children}</Kit>;
}
