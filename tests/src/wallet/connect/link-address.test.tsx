// @vitest-environment jsdom
/**
 * Linking the connected address on screen: a wallet in the test that truly signs, and a server that
 * truly looks at it.
 */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createConfig, createConnector, http, mock, WagmiProvider } from 'wagmi';
import { connect } from 'wagmi/actions';
import { base, baseSepolia } from 'wagmi/chains';
import { verifyMessage, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LinkedAddress, WalletStatus } from '../../../../contract/wallet.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
const { ApiError } = await import('../../../../src/api/api-error.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { formatDate } = await import('../../../../src/format/times.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { clearWallet, walletStore } = await import('../../../../src/stores/wallet-store.ts');
const { LinkAddress } = await import('../../../../src/wallet/connect/LinkAddress.tsx');

/** The first key of every local test chain: anybody's. */
const account = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
);
const other = privateKeyToAccount(
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
);
const SINCE = Date.UTC(2026, 2, 4, 12);

/** What the server of the test knows, and how it answers a proof. */
let links: LinkedAddress[];
let refuse: (() => Error) | null;
let signings: number;
let declines: boolean;
/** What the wallet waits for before it signs. */
let window: Promise<void>;
const asked = (name: string) =>
  (call.mock.calls as [string, { body: Record<string, string>; commandId?: string }][])
    .filter(([which]) => which === name)
    .map(([, input]) => input);
const status = (): WalletStatus => ({
  mode: 'paper',
  venue: 'v',
  quote: 'USDT',
  balances: [],
  linkedAddresses: links.map(({ address }) => address),
  links,
  onramp: 'direct',
});

async function server(
  name: string,
  input: {
    params?: { id: string };
    body?: { message: string; signature: Hex; label?: string; address?: string };
    commandId?: string;
  },
) {
  const { body } = input;
  if (name === 'walletStatus') return status();
  if (name === 'unlinkAddress') {
    links = links.filter(({ id }) => id !== input.params?.id);
    return { commandId: 'x', id: input.params?.id };
  }
  if (name === 'linkMessage')
    return {
      commandId: 'x',
      message: `Prove ${body?.address ?? ''}, once, number ${asked('linkMessage').length}`,
      expiresAt: SINCE,
    };
  if (name !== 'linkAddress' || body === undefined)
    throw new Error(`Nobody should ask for ${name}`);
  const isTheirs = await verifyMessage({
    address: account.address,
    message: body.message,
    signature: body.signature,
  });
  if (!isTheirs) throw new ApiError('400', { code: 'invalid_signature', status: 400, text: '' });
  if (refuse !== null) throw refuse();
  const link = {
    id: `link-${links.length + 1}`,
    address: account.address,
    chainId: baseSepolia.id,
    label: body.label ?? 'Wallet',
    proof: 'key' as const,
    linkedAt: SINCE,
  };
  links = [...links, link];
  return { commandId: input.commandId, link };
}

const failed =
  (
    code: 'chain_unavailable' | 'address_linked_elsewhere' | 'timeout' | 'link_message_expired',
    httpStatus: number,
    text = '',
  ) =>
  () =>
    new ApiError(text, { code, status: httpStatus, text });

/** The library's own wallet for tests, except that it signs by itself. */
const wallet = (signer = account) =>
  createConnector((config) => {
    const inner = mock({ accounts: [account.address] })(config);
    const provider = inner.getProvider.bind(inner);
    return {
      ...inner,
      async getProvider(parameters?: { chainId?: number }) {
        const plain = (await provider(parameters)) as {
          request(asked: { method: string; params?: unknown }): Promise<unknown>;
        };
        return {
          ...plain,
          async request(request: { method: string; params?: unknown }) {
            if (request.method !== 'personal_sign') return plain.request(request);
            signings += 1;
            await window;
            if (declines)
              throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
            const [raw] = request.params as [Hex];
            return signer.signMessage({ message: { raw } });
          },
        };
      },
    };
  });

async function show(signer = account): Promise<void> {
  const config = createConfig({
    chains: [baseSepolia, base],
    connectors: [wallet(signer)],
    storage: null,
    transports: {
      [base.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
      [baseSepolia.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
    },
  });
  const [connector] = config.connectors;
  if (connector === undefined) throw new Error('There is no wallet');
  await connect(config, { connector });
  render(
    <WagmiProvider config={config} reconnectOnMount={false}>
      <QueryClientProvider client={new QueryClient()}>
        <LinkAddress address={account.address} chainId={baseSepolia.id} />
      </QueryClientProvider>
    </WagmiProvider>,
  );
}
const press = async (name: string | RegExp = 'Link address') => {
  fireEvent.click(await screen.findByRole('button', { name }));
};
const alertText = async () => (await screen.findByRole('alert')).textContent;

beforeEach(() => {
  links = [];
  refuse = null;
  signings = 0;
  declines = false;
  window = Promise.resolve();
  call.mockReset();
  call.mockImplementation(server);
  connection.online = 'online';
  session.status = 'signed-in';
});
afterEach(() => {
  cleanup();
  clearWallet();
});

describe('an address that is connected', () => {
  it("is linked by a signature of the server's message, said only when the server has, with the name it was given (R7-23)", async () => {
    await show();
    expect(await screen.findByText('Link this address to your Tradewind account')).toBeTruthy();
    for (const words of [
      /It is not a transaction, costs nothing and moves no coins/,
      /^No agent can spend from this address\.$/,
      /unlink it at any time/,
    ])
      expect(screen.getByText(words)).toBeTruthy();
    expect(signings).toBe(0);
    fireEvent.change(screen.getByLabelText('Name (optional)'), { target: { value: ' Cold box ' } });
    await press();
    expect((await screen.findByText(/linked since/)).textContent).toBe(
      `Cold box, linked since ${formatDate(SINCE)}. No agent can spend from it.`,
    );
    expect(screen.getByText('Cold box')).toBeTruthy();
    const [sent] = asked('linkAddress');
    expect(sent?.body).toMatchObject({
      message: `Prove ${account.address}, once, number 1`,
      label: 'Cold box',
    });
    expect(asked('linkMessage')).toEqual([
      { body: { address: account.address, chainId: baseSepolia.id } },
    ]);
    expect([signings, walletStore.data?.links.length]).toEqual([1, 1]);
  });

  it('is not linked where the person declines: nothing is sent, and it can be tried again', async () => {
    declines = true;
    await show();
    await press();
    expect(await alertText()).toContain('You declined in your wallet. Nothing was signed.');
    expect(asked('linkAddress')).toEqual([]);
    declines = false;
    await press();
    expect(await screen.findByText(/linked since/)).toBeTruthy();
    expect(asked('linkMessage')).toHaveLength(2);
  });

  it('is not linked where the person stops waiting for the wallet, nor by what it signs afterwards', async () => {
    let letGo = (): void => undefined;
    window = new Promise((resolve) => {
      letGo = resolve;
    });
    await show();
    await press();
    await press('Stop waiting');
    expect(await screen.findByText(/You stopped waiting for your wallet/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Stop waiting' })).toBeNull();
    letGo();
    await waitFor(() => {
      expect(signings).toBe(1);
    });
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    expect(asked('linkAddress')).toEqual([]);
    await press();
    expect(await screen.findByText(/linked since/)).toBeTruthy();
    expect(asked('linkAddress')).toHaveLength(1);
  });

  it('is not linked by what another key signed', async () => {
    await show(other);
    await press();
    expect(await alertText()).toContain('The signature is not valid');
    expect(screen.getByRole('button', { name: 'Link address' })).toBeTruthy();
  });

  it('need not be signed for again where the chain could not be asked: the same signature goes by the same id', async () => {
    refuse = failed('chain_unavailable', 503);
    await show();
    fireEvent.change(await screen.findByLabelText('Name (optional)'), {
      target: { value: 'Smart' },
    });
    await press();
    expect(await alertText()).toContain('Your signature is still valid');
    refuse = null;
    await press('Try again with this signature');
    expect(await screen.findByText(/linked since/)).toBeTruthy();
    const [first, second] = asked('linkAddress');
    expect(second).toEqual(first);
    expect(signings).toBe(1);
  });

  it('keeps the name that goes with a signature, and takes another one with a new signature', async () => {
    refuse = failed('chain_unavailable', 503);
    await show();
    const name = async () => screen.findByLabelText<HTMLInputElement>('Name (optional)');
    expect((await name()).readOnly).toBe(false);
    fireEvent.change(await name(), { target: { value: 'Smart' } });
    await press();
    await screen.findByRole('button', { name: 'Try again with this signature' });
    expect((await name()).readOnly).toBe(true);
    expect((await name()).value).toBe('Smart');
    expect(screen.getByText('This name goes with your signature.')).toBeTruthy();
    refuse = null;
    await press('Sign again with another name');
    expect(screen.queryByRole('alert')).toBeNull();
    expect((await name()).readOnly).toBe(false);
    fireEvent.change(await name(), { target: { value: 'Cold box' } });
    await press();
    expect(await screen.findByText(/linked since/)).toBeTruthy();
    const [first, second] = asked('linkAddress');
    expect([first?.body['label'], second?.body['label']]).toEqual(['Smart', 'Cold box']);
    expect(second?.commandId).not.toBe(first?.commandId);
    expect(signings).toBe(2);
  });

  it('cannot be renamed while it is being signed for', async () => {
    let letGo = (): void => undefined;
    window = new Promise((resolve) => {
      letGo = resolve;
    });
    await show();
    await press();
    await screen.findByRole('button', { name: 'Stop waiting' });
    expect(screen.getByLabelText<HTMLInputElement>('Name (optional)').readOnly).toBe(true);
    letGo();
    expect(await screen.findByText(/linked since/)).toBeTruthy();
  });

  it('that was linked though no answer came is found linked', async () => {
    refuse = () => {
      links = [
        {
          id: 'link-1',
          address: account.address,
          chainId: baseSepolia.id,
          label: 'Wallet',
          proof: 'key',
          linkedAt: SINCE,
        },
      ];
      return failed('timeout', 0)();
    };
    await show();
    await press();
    expect(await screen.findByText(/linked since/)).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it("that is another account's is refused in the server's words, and signed for anew the next time", async () => {
    const words =
      'This address is linked to another Tradewind account. Unlink it there first, or contact support. Nothing was linked.';
    refuse = failed('address_linked_elsewhere', 409, words);
    await show();
    await press();
    expect(await alertText()).toBe(words);
    refuse = failed('link_message_expired', 410);
    await press();
    await waitFor(() => {
      expect(screen.getByRole('alert').textContent).toContain('has expired');
    });
    expect(signings).toBe(2);
  });

  it('is unlinked after a question, and not before the server has said so (R7-23)', async () => {
    links = [
      {
        id: 'link-7',
        address: account.address,
        chainId: baseSepolia.id,
        label: 'Everyday',
        proof: 'contract',
        linkedAt: SINCE,
      },
    ];
    await show();
    await press(/Unlink Everyday/);
    const dialog = await screen.findByRole('dialog', { name: 'Unlink Everyday?' });
    expect(dialog.textContent).toContain(account.address);
    expect(dialog.textContent).toContain('Its coins stay where they are');
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    expect(asked('unlinkAddress')).toEqual([]);
    call.mockImplementationOnce(() =>
      Promise.reject(new ApiError('x', { code: 'network', status: 0, text: '' })),
    );
    await press(/Unlink Everyday/);
    fireEvent.click(
      within(await screen.findByRole('dialog')).getByRole('button', { name: 'Unlink' }),
    );
    expect(await alertText()).toContain('Could not reach the server');
    expect(walletStore.data?.links).toHaveLength(1);
    fireEvent.click(
      within(await screen.findByRole('dialog')).getByRole('button', { name: 'Unlink' }),
    );
    expect(await screen.findByText('Link this address to your Tradewind account')).toBeTruthy();
    expect(asked('unlinkAddress').at(-1)).toEqual({ params: { id: 'link-7' } });
  });

  it('on one chain is not the same on another', async () => {
    links = [
      {
        id: 'link-7',
        address: account.address,
        chainId: base.id,
        label: 'Everyday',
        proof: 'contract',
        linkedAt: SINCE,
      },
    ];
    await show();
    expect(await screen.findByRole('button', { name: 'Link address' })).toBeTruthy();
  });

  it('cannot be linked offline, over the limit or by a name that is none; each says why', async () => {
    await show();
    const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Link address' });
    await waitFor(() => {
      expect(button().disabled).toBe(false);
    });
    fireEvent.change(screen.getByLabelText('Name (optional)'), { target: { value: '<b>' } });
    expect(screen.getByText('Only letters, digits, spaces, hyphens and underscores')).toBeTruthy();
    expect(button().disabled).toBe(true);
    fireEvent.change(screen.getByLabelText('Name (optional)'), { target: { value: '' } });
    connection.online = 'offline';
    expect(
      await screen.findByText(/You are offline. You can link an address when you are back online/),
    ).toBeTruthy();
    expect(button().disabled).toBe(true);
    connection.online = 'online';
    cleanup();
    clearWallet();
    links = Array.from({ length: 10 }, (_none, index) => ({
      id: `l${index}`,
      address: other.address,
      chainId: baseSepolia.id,
      label: 'Wallet',
      proof: 'key',
      linkedAt: SINCE,
    }));
    await show();
    expect(await screen.findByText(/Your account has 10 linked addresses/)).toBeTruthy();
    expect(button().disabled).toBe(true);
    expect(signings).toBe(0);
  });
});
