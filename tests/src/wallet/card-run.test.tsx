// @vitest-environment jsdom
/** What a run of a card ends by, and what it is said to have come to. */
import '../../support/page-world.ts';
import type { ReactNode } from 'react';
import { MutationObserver, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { WagmiProvider } from 'wagmi';
import { writeLastUser } from '../../../src/identity/last-user.ts';
import { session } from '../../../src/identity/session.ts';
import { useCardRun } from '../../../src/wallet/card-run.ts';
import { cardConfig, cardWallet } from '../../support/card-wallet.ts';

const HASH = `0x${'7'.repeat(64)}`;
const notes = (): unknown => localStorage.getItem('tradewind.walletPayments');
const nothing = (): void => undefined;

beforeEach(() => {
  localStorage.clear();
  writeLastUser({ uid: 'ann', email: null, lastSignInTime: null });
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'ann', email: null, metadata: {} },
  });
});

function run() {
  const client = new QueryClient();
  const config = cardConfig(cardWallet());
  const { result } = renderHook(() => useCardRun('swap', nothing), {
    wrapper: ({ children }: { children: ReactNode }) => (
      <WagmiProvider config={config} reconnectOnMount={false}>
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      </WagmiProvider>
    ),
  });
  /** Asks the wallet, which answers when the test says. */
  const ask = () => {
    let send: (hash: string) => void = nothing;
    let decline: (error: Error) => void = nothing;
    const answer = new Promise<string>((resolve, reject) => {
      send = resolve;
      decline = reject;
    });
    const asked = new MutationObserver(client, {
      mutationKey: ['sendTransaction'],
      mutationFn: () => answer,
    });
    let settled: Promise<unknown> = Promise.resolve();
    act(() => {
      settled = asked.mutate().catch(nothing);
    });
    return {
      sent: () =>
        act(async () => {
          send(HASH);
          await settled;
        }),
      declined: () =>
        act(async () => {
          decline(Object.assign(new Error('User denied it.'), { code: 4001 }));
          await settled;
        }),
    };
  };
  return { result, ask };
}

it('is not called undone by the decline of one request where another was sent beside it', async () => {
  const { ask, result } = run();
  const first = ask();
  const second = ask();
  await first.sent();
  await second.declined();
  act(() => {
    result.current.failed();
  });
  await waitFor(() => {
    expect(result.current.outcome).toBe('unknown');
  });
  expect(notes()).not.toBeNull();
});

it('has no end while one of its requests is still asked', async () => {
  const { ask, result } = run();
  ask();
  await ask().declined();
  act(() => {
    result.current.failed();
  });
  await act(() => Promise.resolve());
  expect(result.current.outcome).toBe('running');
  expect(notes()).not.toBeNull();
});

it('is undone where its last step was declined, whatever prepared it', async () => {
  const { ask, result } = run();
  await ask().sent();
  await ask().declined();
  act(() => {
    result.current.failed();
  });
  await waitFor(() => {
    expect(result.current.outcome).toBe('none');
  });
  expect(notes()).toBeNull();
});
