// @vitest-environment jsdom
/**
 * The wallet's parts as a person meets them, with a wallet in the page and a real chain behind it.
 */
import '../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { parseEther, toHex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { session } from '../../../src/identity/session.ts';
import { writeLastUser } from '../../../src/identity/last-user.ts';
import { formatWhen } from '../../../src/format/times.ts';
import { openWalletNote, walletNote } from '../../../src/stores/wallet-note.ts';
import { walletKitSettings } from '../../../src/wallet/kit/kit-settings.ts';
import { walletConfig } from '../../../src/wallet/connect/wallet-config.ts';
import { startChain, type TestChain } from '../../support/anvil.ts';
import { injectWallet, type InjectedWallet } from '../../support/injected-wallet.ts';

const { default: WalletPanel } = await import('../../../src/wallet/WalletRoot.tsx');

let chain: TestChain;
let wallet: InjectedWallet;
let ann: string;
let bob: string;
beforeAll(async () => {
  chain = await startChain();
  [ann = '', bob = ''] = chain.accounts.map(({ address }) => address);
});
afterAll(async () => {
  await chain.stop();
});

/** Rabby and Frame lie in the page, each with an account of its own. */
beforeEach(async () => {
  // What an earlier test has sent is there again.
  await chain.rpc('anvil_setBalance', [ann, toHex(parseEther('10000'))]);
  writeLastUser({ uid: 'ann', email: null, lastSignInTime: null });
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'ann', email: null, displayName: null, metadata: { lastSignInTime: null } },
  });
  const page = globalThis as unknown as { ethereum: { providers?: unknown[] } };
  injectWallet({
    url: chain.url,
    accounts: [bob],
    chainId: 84_532,
    known: [84_532],
    mark: 'isFrame',
  });
  const frame = page.ethereum;
  wallet = injectWallet({
    url: chain.url,
    accounts: [ann],
    chainId: 84_532,
    known: [84_532],
    mark: 'isRabby',
  });
  page.ethereum.providers = [frame, page.ethereum];
});
afterEach(() => {
  cleanup();
  localStorage.clear();
  for (const cookie of document.cookie.split('; '))
    document.cookie = `${cookie.split('=')[0] ?? ''}=; max-age=0; path=/`;
});

function show(part: string): void {
  history.replaceState(null, '', `/trading?wallet=${part}`);
  render(
    <WalletPanel
      config={walletConfig({
        jar: document,
        secureCookies: false,
        settings: walletKitSettings({
          rpcUrl: chain.url,
          config: { analytics: false, wallet: { supportedWallets: { rabby: true, frame: true } } },
        }),
      })}
    />,
  );
}
/** As soon as it can be pressed: a wallet that is looked for takes no press. */
const press = async (name: string): Promise<void> => {
  await waitFor(() => {
    expect(screen.getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(false);
  });
  fireEvent.click(screen.getByRole('button', { name }));
};
const connected = async (): Promise<void> => {
  show('account');
  await press('Connect Rabby');
  await screen.findByText('Rabby · connected');
};
const toSend = async (): Promise<void> => {
  await connected();
  fireEvent.click(screen.getByRole('tab', { name: 'Send' }));
  await screen.findByLabelText('To');
  await screen.findByText(/You have 10.000 ETH\. Network fee at most/);
};
const type = (label: string, value: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
};

describe('several wallets', () => {
  it('are connected at once, one of them in use, and the other is a press away (R3-19)', async () => {
    await connected();
    await press('Connect another wallet');
    await press('Connect Frame');
    const list = await screen.findByRole('list', { name: 'Connected wallets' });
    const rows = () =>
      within(list)
        .getAllByRole('listitem')
        .map((row) => row.textContent);
    await waitFor(() => {
      expect(rows()).toEqual([
        expect.stringMatching(/^Rabby .*Use Rabby$/),
        expect.stringMatching(/^Frame .*In use$/),
      ]);
    });
    expect(walletNote.note?.address).toBe(bob);
    fireEvent.click(within(list).getByRole('button', { name: 'Use Rabby' }));
    await waitFor(() => {
      expect(rows()[0]).toMatch(/In use$/);
    });
    expect(walletNote.note?.address).toBe(ann);
    await press('Disconnect');
    await screen.findByText('Frame · connected');
    expect(screen.queryByRole('list', { name: 'Connected wallets' })).toBeNull();
  });
});

describe('the address', () => {
  it('is called copied for a few seconds, and only the one that was', async () => {
    const copied: string[] = [];
    Object.defineProperty(navigator, 'clipboard', {
      configurable: true,
      value: {
        writeText: (text: string) => {
          copied.push(text);
          return Promise.resolve();
        },
      },
    });
    try {
      await connected();
      await press('Copy address');
      await screen.findByRole('button', { name: 'Address copied' });
      await press('Connect another wallet');
      await press('Connect Frame');
      await screen.findByText('Frame · connected');
      await press('Copy address');
      expect(copied).toEqual([ann, bob]);
      await screen.findByRole('button', { name: 'Address copied' });
      await screen.findByRole('button', { name: 'Copy address' });
    } finally {
      Reflect.deleteProperty(navigator, 'clipboard');
    }
  });
});

describe('what other screens know of a wallet', () => {
  it('is the connected one, kept for its person alone, and gone with the connection', async () => {
    await connected();
    expect(walletNote).toMatchObject({
      live: true,
      note: { address: ann, chain: 'Base Sepolia', testCoins: true },
    });
    const keptText = localStorage.getItem('tradewind.wallet');
    expect(keptText).toContain(ann);
    Object.assign(walletNote, { uid: null, note: null, live: false });
    openWalletNote('eve')();
    expect(walletNote.note).toBeNull();
    openWalletNote('ann')();
    expect(walletNote).toMatchObject({ live: false, note: { address: ann } });
    localStorage.removeItem('tradewind.wallet');
    openWalletNote('ann')();
    expect(walletNote.note).toBeNull();
    await press('Disconnect');
    await waitFor(() => {
      expect(walletNote.note).toBeNull();
    });
    expect(localStorage.getItem('tradewind.wallet')).toBeNull();
  });
});

describe('the history of sends', () => {
  it("says of a smart wallet's transfer what its bundle says, and no more", async () => {
    const transfer = {
      chainId: 84_532,
      from: ann,
      to: bob,
      wei: '1',
      hash: `0x${'1'.repeat(64)}`,
      askedAt: Date.now(),
      changedAt: Date.now(),
      feeWei: null,
      reason: null,
    };
    localStorage.setItem(
      'tradewind.walletSends',
      JSON.stringify({
        uid: 'ann',
        sends: [
          { ...transfer, id: 'a', stage: 'unknown' },
          { ...transfer, id: 'b', stage: 'unknown', hash: null },
          { ...transfer, id: 'c', stage: 'reverted' },
          { ...transfer, id: 'd', stage: 'reverted', feeWei: '7' },
        ],
      }),
    );
    show('history');
    const rows = within(await screen.findByRole('list', { name: 'Sends' })).getAllByRole(
      'listitem',
    );
    expect(rows.map((row) => row.querySelector('p')?.textContent)).toEqual([
      "The network has the transaction, but it does not say what became of your transfer. It may have been sent: check your wallet's history before you send again.",
      "Your wallet gave this page no transaction. The transfer may have been sent: check your wallet's history before you send again.",
      'The network rejected the transfer. The amount stayed in your wallet.',
      'The network rejected the transfer. The amount stayed in your wallet; the network fee was spent.',
    ]);
  });
});

/** Looks a send over and confirms it, in these words. */
const send = async (words: string): Promise<void> => {
  await press('Review');
  const dialog = await screen.findByRole('dialog');
  // A click that no press came before is a screen reader's: it is asked instead of held.
  fireEvent.click(within(dialog).getByRole('button', { name: 'Send. Hold to confirm.' }));
  const asked = await screen.findByText(words);
  fireEvent.click(
    within(asked.closest('[role=dialog]') as HTMLElement).getByRole('button', { name: 'Send' }),
  );
};

describe('the form of a send', () => {
  it('says what is wrong beside each field, and asks nobody', async () => {
    await toSend();
    await press('Review');
    expect(await screen.findByText("Enter the recipient's address.")).toBeTruthy();
    expect(screen.getByText('Enter an amount of ETH.')).toBeTruthy();
    type('To', bob.replace('0C51812dc', '0C51812Dc'));
    expect(await screen.findByText(/its checksum does not match/)).toBeTruthy();
    type('To', bob);
    type('Amount', '10000.1');
    expect(await screen.findByText('More than your balance.')).toBeTruthy();
    type('Amount', '10000');
    expect(
      await screen.findByText('The amount plus the network fee is more than your balance.'),
    ).toBeTruthy();
    await press('Review');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(wallet.calls.map(({ method }) => method)).not.toContain('eth_sendTransaction');
  });

  it('fills in all but the fee, to the last wei, and that can be looked over', async () => {
    await toSend();
    type('To', bob);
    await press('Maximum');
    const amount = screen.getByLabelText<HTMLInputElement>('Amount').value;
    expect(amount).toMatch(/^9999\.\d{6,18}$/);
    expect(parseEther(amount) < parseEther('10000')).toBe(true);
    await press('Review');
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain(bob);
    expect(dialog.textContent).toMatch(/Balance after, at least(0|less than 0\.000001) ETH/);
  });

  it("warns of the wallet's own address and of a contract, and leaves both to the person", async () => {
    await toSend();
    type('To', ann);
    type('Amount', '1');
    await press('Review');
    expect(await screen.findByText(/This is the wallet's own address/)).toBeTruthy();
    await press('Cancel');
    const contract = chain.accounts[5]?.address ?? '';
    await chain.rpc('anvil_setCode', [contract, '0x00']);
    type('To', contract);
    await press('Review');
    expect(await screen.findByText(/This address is a contract/)).toBeTruthy();
    await chain.rpc('anvil_setCode', [contract, '0x']);
  });

  it('keeps what was typed while another part is looked at, and over a failed send', async () => {
    await toSend();
    type('To', bob);
    type('Amount', '0.5');
    fireEvent.click(screen.getByRole('tab', { name: 'History' }));
    await screen.findByText('Nothing sent from this device yet');
    fireEvent.click(screen.getByRole('tab', { name: 'Send' }));
    expect((await screen.findByLabelText<HTMLInputElement>('Amount')).value).toBe('0.5');
    wallet.fail('eth_sendTransaction', -32_603, 'Internal error');
    await send(`Sends 0.5 ETH on Base Sepolia to ${bob}. This cannot be reversed.`);
    expect((await screen.findByRole('alert')).textContent).toContain(
      'We do not know whether it was sent.',
    );
    expect(screen.getByLabelText<HTMLInputElement>('Amount').value).toBe('0.5');
    expect(screen.getByText('Outcome unknown')).toBeTruthy();
    expect(await chain.rpc('eth_getTransactionCount', [ann, 'latest'])).toBe(toHex(0));
  });

  it('says that there is no network, and takes what is typed', async () => {
    await toSend();
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    try {
      fireEvent(window, new Event('offline'));
      expect(
        await screen.findByText(
          'You are offline. Your entries stay here, and you can send when you are back online.',
        ),
      ).toBeTruthy();
      expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Review' }).disabled).toBe(true);
    } finally {
      online.mockRestore();
      fireEvent(window, new Event('online'));
    }
  });

  it('frees the form when the person stops waiting for a wallet that says nothing', async () => {
    await toSend();
    type('To', bob);
    type('Amount', '0.125');
    const letGo = wallet.hold('eth_sendTransaction');
    wallet.refuse('eth_sendTransaction');
    await send(`Sends 0.125 ETH on Base Sepolia to ${bob}. This cannot be reversed.`);
    await screen.findByRole('button', { name: 'Waiting for your wallet' });
    await press('Stop waiting');
    await screen.findByRole('button', { name: 'Review' });
    expect(screen.getByText('Outcome unknown')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Stop waiting' })).toBeNull();
    letGo();
    expect((await screen.findByRole('alert')).textContent).toBe(
      'You declined in your wallet. Nothing was sent.',
    );
    expect(screen.queryByText('Outcome unknown')).toBeNull();
  });

  it('is empty after a send, but for what was typed while the wallet asked', async () => {
    await toSend();
    const amount = () => screen.getByLabelText<HTMLInputElement>('Amount').value;
    const kept = () => localStorage.getItem('tradewind.draft.walletSend');
    type('To', bob);
    type('Amount', '0.5');
    let letGo = wallet.hold('eth_sendTransaction');
    await send(`Sends 0.5 ETH on Base Sepolia to ${bob}. This cannot be reversed.`);
    await screen.findByRole('button', { name: 'Waiting for your wallet' });
    type('Amount', '0.25');
    letGo();
    await screen.findByRole('button', { name: 'Review' });
    expect(amount()).toBe('0.25');
    expect(kept()).toContain('0.25');
    letGo = wallet.hold('eth_sendTransaction');
    await send(`Sends 0.25 ETH on Base Sepolia to ${bob}. This cannot be reversed.`);
    letGo();
    await screen.findByRole('button', { name: 'Review' });
    expect(amount()).toBe('');
    expect(kept()).toBeNull();
  });

  it('takes no other send while the wallet asks, and is empty after it, also where it was left meanwhile', async () => {
    await toSend();
    type('To', bob);
    type('Amount', '0.75');
    const letGo = wallet.hold('eth_sendTransaction');
    await send(`Sends 0.75 ETH on Base Sepolia to ${bob}. This cannot be reversed.`);
    await screen.findByRole('button', { name: 'Waiting for your wallet' });
    fireEvent.click(screen.getByRole('tab', { name: 'History' }));
    await screen.findByRole('list', { name: 'Sends' });
    fireEvent.click(screen.getByRole('tab', { name: 'Send' }));
    const field = await screen.findByLabelText<HTMLInputElement>('Amount');
    expect(field.value).toBe('0.75');
    await screen.findByText(
      'Your wallet is still asking about a transfer. Answer it there, or press Stop waiting, before you review the next one.',
    );
    expect(screen.queryByRole('button', { name: 'Review' })).toBeNull();
    fireEvent.submit(field.form as HTMLFormElement);
    expect(screen.queryByRole('dialog')).toBeNull();
    letGo();
    await screen.findByRole('button', { name: 'Review' });
    await waitFor(() => {
      expect(screen.getByLabelText<HTMLInputElement>('Amount').value).toBe('');
    });
    expect(screen.queryByText(/still asking about a transfer/)).toBeNull();
    expect(localStorage.getItem('tradewind.draft.walletSend')).toBeNull();
  });

  it('says before the same transfer is sent a second time when it was asked for, and what is known of it', async () => {
    await toSend();
    type('To', bob);
    type('Amount', '0.375');
    wallet.fail('eth_sendTransaction', -32_603, 'Internal error');
    await send(`Sends 0.375 ETH on Base Sepolia to ${bob}. This cannot be reversed.`);
    await screen.findByText('Outcome unknown');
    await press('Review');
    const dialog = () => screen.findByRole('dialog');
    const warning = async () =>
      [...(await dialog()).querySelectorAll('p')]
        .map(({ textContent }) => textContent)
        .find((text) => text.includes('second'));
    expect(await warning()).toMatch(
      /^You asked for this same transfer at \d\d:\d\d, and its outcome is not known\. This would be a second one\.$/,
    );
    await press('Cancel');
    type('Amount', '0.3751');
    await press('Review');
    expect(await warning()).toBeUndefined();
  });

  it.each([
    ['sent', 'is not confirmed yet'],
    ['unseen', 'is not confirmed yet'],
    ['asking', 'its outcome is not known'],
    ['confirmed', null],
    ['cancelled', null],
  ])('knows of an earlier one that is %s', async (stage, words) => {
    const askedAt = Date.now() - 3 * 86_400_000;
    const earlier = {
      id: 'a',
      chainId: 84_532,
      from: ann.toLowerCase(),
      to: bob.toLowerCase(),
      wei: String(parseEther('0.2')),
      // Nobody looks for one without a hash, which would go on after this test.
      hash: null,
      stage,
      askedAt,
      changedAt: askedAt,
      feeWei: null,
      reason: null,
    };
    const sends = [
      { ...earlier, id: 'b', chainId: 8_453, stage: 'unknown' },
      { ...earlier, id: 'c', from: bob, stage: 'unknown' },
      { ...earlier, id: 'd', to: ann, stage: 'unknown' },
      earlier,
    ];
    localStorage.setItem('tradewind.walletSends', JSON.stringify({ uid: 'ann', sends }));
    await toSend();
    type('To', bob);
    type('Amount', '0.2');
    await press('Review');
    const { textContent } = await screen.findByRole('dialog');
    if (words === null) expect(textContent).not.toContain('second one');
    else {
      expect(textContent).toContain(words);
      expect(textContent).toContain(`this same transfer at ${formatWhen(askedAt)}`);
    }
  });
});
