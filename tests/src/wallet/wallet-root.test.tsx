// @vitest-environment jsdom
/** The wallet panel with the real kit around it, connected to a wallet that lives in the test. */
import '../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createConfig, createConnector, createStorage, http, mock, type Config } from 'wagmi';
import { base, baseSepolia } from 'wagmi/chains';
import { getOnchainKitConfig, OnchainKitProvider } from '@coinbase/onchainkit';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

vi.hoisted(() => {
  vi.stubEnv('VITE_ENABLE_ANALYTICS', 'false');
});
const { cookieStorage } = await import('../../../src/wallet/connect/cookie-storage.ts');
const { LAST_USER_KEY } = await import('../../../src/identity/device-record.ts');
const { forgetLastUser, writeLastUser } = await import('../../../src/identity/last-user.ts');
const { openSession, session, signOut } = await import('../../../src/identity/session.ts');
const { readWalletEnvironment } = await import('../../../src/wallet/wallet-environment.ts');
const { default: WalletPanel } = await import('../../../src/wallet/WalletRoot.tsx');

const ADDRESS = '0x00000000000000000000000000000000000000aB';

/** The same shape as the product's, with a wallet in the test instead of a pop-up of Coinbase's. */
const config = (
  features: Parameters<typeof mock>[0]['features'] = {},
  connectors = [mock({ accounts: [ADDRESS], features })],
): Config =>
  createConfig({
    chains: [base, baseSepolia],
    connectors,
    storage: createStorage({ key: 'tradewind-wallet', storage: cookieStorage(document, false) }),
    transports: {
      [base.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
      [baseSepolia.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
    },
  });
const status = () =>
  document.querySelector('[data-wallet-status]')?.getAttribute('data-wallet-status');
const forget = (): void => {
  for (const cookie of document.cookie.split('; '))
    document.cookie = `${cookie.split('=')[0] ?? ''}=; max-age=0; path=/`;
};

/** Opens the page's session as this person's. */
const signedInAs = (uid: string): void => {
  writeLastUser({ uid, email: null, lastSignInTime: null });
  openSession();
};
/** Another tab logs this person in, or everybody out. */
const elsewhere = (uid: string | null): void => {
  if (uid === null) forgetLastUser();
  else writeLastUser({ uid, email: null, lastSignInTime: null });
  window.dispatchEvent(
    new StorageEvent('storage', {
      key: LAST_USER_KEY,
      newValue: localStorage.getItem(LAST_USER_KEY),
    }),
  );
};

beforeAll(() => {
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
});
afterEach(() => {
  cleanup();
  forget();
});

describe('the wallet panel', () => {
  it('goes from disconnected to connected and back, and remembers it in a cookie (R4-16, R4-19)', async () => {
    render(<WalletPanel config={config()} />);
    await waitFor(() => {
      expect(status()).toBe('disconnected');
    });
    expect(
      screen.getByText('Connect a wallet on Base or Base Sepolia. Agents cannot spend from it.'),
    ).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Connect wallet' }));
    await waitFor(() => {
      expect(status()).toBe('connected');
    });
    expect(screen.getByText(new RegExp(ADDRESS, 'i'))).toBeTruthy();
    expect(document.cookie).toContain('tradewind-wallet.recentConnectorId');
    fireEvent.click(screen.getByRole('button', { name: 'Disconnect' }));
    await waitFor(() => {
      expect(status()).toBe('disconnected');
    });
  });

  it('goes with its person at a sign-out, from the page and from the cookies (F34, F35)', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: null });
    render(<WalletPanel config={config()} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
    await waitFor(() => {
      expect(status()).toBe('connected');
    });
    expect(document.cookie.toLowerCase()).toContain(ADDRESS.toLowerCase());
    await signOut();
    expect(document.cookie).toBe('');
    await waitFor(() => {
      expect(status()).toBe('disconnected');
    });
  });

  it('goes with its person when another tab logs them out, before the next one comes (F34, F35)', async () => {
    signedInAs('ann');
    const held = config();
    render(<WalletPanel config={held} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
    await waitFor(() => {
      expect(status()).toBe('connected');
    });
    elsewhere(null);
    await waitFor(() => {
      expect(held.state.connections.size).toBe(0);
      expect(document.cookie).toBe('');
    });
    elsewhere('bob');
    await waitFor(() => {
      expect(session.user?.uid).toBe('bob');
    });
    expect(status()).toBe('disconnected');
    expect(document.cookie).toBe('');
  });

  it('is not kept where it answers only after its person has gone (F34, F35)', async () => {
    signedInAs('ann');
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow = createConnector((parameters) => {
      const inner = mock({ accounts: [ADDRESS] })(parameters);
      return {
        ...inner,
        connect: async (wanted) => {
          await asked;
          return inner.connect(wanted);
        },
      } as typeof inner;
    });
    const held = config({}, [slow]);
    render(<WalletPanel config={held} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
    await waitFor(() => {
      expect(status()).toBe('connecting');
    });
    elsewhere(null);
    const seen: number[] = [];
    held.subscribe(
      ({ connections }) => connections.size,
      (size) => {
        seen.push(size);
      },
    );
    answer();
    await waitFor(() => {
      expect(seen).toEqual([1, 0]);
      expect(document.cookie).toBe('');
    });
  });

  it('says so when the person declines (R8-35)', async () => {
    const rejected = Object.assign(new Error('User rejected the request.'), {
      name: 'UserRejectedRequestError',
      code: 4001,
    });
    render(<WalletPanel config={config({ connectError: rejected as never })} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
    expect((await screen.findByRole('alert')).textContent).toBe(
      'You declined in your wallet. Nothing was changed.',
    );
    expect(status()).toBe('disconnected');
  });

  it('changes the chain of a connected wallet (R1-06)', async () => {
    render(<WalletPanel config={config()} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
    const chain = await screen.findByLabelText<HTMLSelectElement>('Network');
    expect([...chain.options].map(({ text }) => text)).toEqual(['Base', 'Base Sepolia']);
    fireEvent.change(chain, { target: { value: String(baseSepolia.id) } });
    await waitFor(() => {
      expect(screen.getByLabelText<HTMLSelectElement>('Network').value).toBe(
        String(baseSepolia.id),
      );
    });
  });
});

describe('the kit itself', () => {
  it('is told of analytics only where the build turns them on, of smart wallets alone, and keeps the session id it is given (R3-15, R3-16, R3-17)', async () => {
    render(<WalletPanel config={config()} />);
    await waitFor(() => {
      expect(status()).toBe('disconnected');
    });
    expect(getOnchainKitConfig('config')).toMatchObject({
      analytics: false,
      appearance: { name: 'Tradewind' },
      wallet: { preference: 'smartWalletOnly' },
    });
    const { kit } = readWalletEnvironment({});
    expect(getOnchainKitConfig('schemaId')).toBe(kit.schemaId);
    const session = getOnchainKitConfig('sessionId');
    cleanup();
    render(<WalletPanel config={config()} />);
    await waitFor(() => {
      expect(getOnchainKitConfig('sessionId')).not.toBe(session);
    });
  });

  it('refuses a schema id in the words that we use (R5-28)', () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(() =>
      render(
        <OnchainKitProvider chain={baseSepolia} schemaId="0x12">
          x
        </OnchainKitProvider>,
      ),
    ).toThrow('EAS schemaId must be 64 characters prefixed with "0x"');
    quiet.mockRestore();
  });
});
