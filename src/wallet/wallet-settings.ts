/** The settings of the wallet, shared by its panels. Throws when read outside them. */
import { createContext, useContext } from 'react';
import type { WalletEnvironment } from './wallet-environment.ts';

const Settings = createContext<WalletEnvironment | null>(null);

export const WalletSettings = Settings.Provider;

export function useWalletSettings(): WalletEnvironment {
  const settings = useContext(Settings);
  if (settings === null) throw new Error('A part of the wallet stands outside its panel');
  return settings;
}
