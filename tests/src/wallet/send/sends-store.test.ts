// @vitest-environment jsdom
/** A send from the wallet's yes to the chain's last word, against a real chain. */
import '../../../support/page-world.ts';
import { connect, switchChain } from 'wagmi/actions';
import {
  encodeAbiParameters,
  encodeErrorResult,
  parseAbi,
  parseAbiParameters,
  parseEther,
  size,
  toEventSelector,
  toHex,
  zeroAddress,
  type Hex,
} from 'viem';
import type { Config } from 'wagmi';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetPerson, writeLastUser } from '../../../../src/identity/last-user.ts';
import { signOut } from '../../../../src/identity/session.ts';
import { walletKitSettings } from '../../../../src/wallet/kit/kit-settings.ts';
import { watchSends } from '../../../../src/wallet/send/chain-receipts.ts';
import { sendEther, stopWaiting } from '../../../../src/wallet/send/send-ether.ts';
import { estimateSend, mostSendable } from '../../../../src/wallet/send/send-fees.ts';
import {
  addSend,
  changeSend,
  dropSend,
  openSends,
  sendsStore,
  stageOf,
} from '../../../../src/wallet/send/sends-store.ts';
import { walletConfig } from '../../../../src/wallet/connect/wallet-config.ts';
import { walletFailure, walletSentence } from '../../../../src/wallet/wallet-errors.ts';
import { startChain, type TestChain } from '../../../support/anvil.ts';
import { injectWallet, type InjectedWallet } from '../../../support/injected-wallet.ts';
import { startRpcServer, type RpcServer } from '../../../support/rpc-server.ts';
import { waitFor } from '../../../support/wait-for.ts';

const ORACLE = '0x420000000000000000000000000000000000000F';
/**
 * A contract of a few bytes: it copies what follows its code and hands it back, or refuses with it.
 */
const answering = (data: Hex, how: 'return' | 'revert'): Hex =>
  `0x60${size(data).toString(16).padStart(2, '0')}80600b6000396000${how === 'return' ? 'f3' : 'fd'}${data.slice(2)}`;
const REFUSING = answering(
  encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['closed for today'] }),
  'revert',
);

let chain: TestChain;
let node: RpcServer;
let config: Config;
let wallet: InjectedWallet;
let ann: Hex;
let bob: Hex;

beforeAll(async () => {
  [chain, node] = await Promise.all([startChain(), startRpcServer()]);
  [ann = '0x', bob = '0x'] = chain.accounts.map(({ address }) => address);
});
afterAll(async () => {
  await chain.stop();
  await node.close();
});

/** A node in between, which may be away. */
let away = false;
beforeEach(async () => {
  localStorage.clear();
  for (const cookie of document.cookie.split('; '))
    document.cookie = `${cookie.split('=')[0] ?? ''}=; max-age=0; path=/`;
  writeLastUser({ uid: 'ann', email: null, lastSignInTime: null });
  away = false;
  node.answers('/chain', () =>
    away ? { kind: 'status', status: 404 } : { kind: 'forward', to: chain.url },
  );
  wallet = injectWallet({
    url: chain.url,
    accounts: [ann],
    chainId: 84_532,
    known: [84_532, 8_453],
    mark: 'isRabby',
  });
  config = walletConfig({
    jar: document,
    secureCookies: false,
    settings: walletKitSettings({
      rpcUrl: `${node.url}/chain`,
      config: { wallet: { supportedWallets: { rabby: true } } },
    }),
  });
  const [, rabby] = config.connectors;
  if (rabby === undefined) throw new Error('no connector');
  await connect(config, { connector: rabby });
  Object.assign(sendsStore, { uid: null, list: [] });
  openSends('ann')();
});
afterEach(async () => {
  await chain.rpc('evm_setAutomine', [true]);
});

const fees = () =>
  estimateSend(config.getClient({ chainId: 84_532 }), {
    from: ann,
    to: bob,
    wei: 1n,
    isSmart: false,
  });
const send = async (wei = parseEther('1'), gas?: bigint): Promise<string> => {
  const known = await fees();
  return sendEther(config, {
    uid: 'ann',
    chainId: 84_532,
    from: ann,
    to: bob,
    wei,
    isSmart: false,
    fees: gas === undefined ? known : { ...known, gas },
  });
};
const newest = () => sendsStore.list[0];
const kept = (): unknown => JSON.parse(localStorage.getItem('tradewind.walletSends') ?? 'null');
/** As a reload leaves it: the store is what is kept. */
const reload = (): void => {
  Object.assign(sendsStore, { uid: null, list: [] });
  openSends('ann')();
};

describe('a send', () => {
  it('is confirmed by one block, to the last wei, with the fee that it took (R9-14)', async () => {
    const before = BigInt(await chain.rpc<string>('eth_getBalance', [ann, 'latest']));
    await send(1_000_000_000_000_000_001n);
    await waitFor(() => {
      expect(newest()?.stage).toBe('confirmed');
    });
    const after = BigInt(await chain.rpc<string>('eth_getBalance', [ann, 'latest']));
    expect(before - after).toBe(1_000_000_000_000_000_001n + BigInt(newest()?.feeWei ?? '0'));
    expect(kept()).toMatchObject({
      uid: 'ann',
      sends: [{ stage: 'confirmed', wei: '1000000000000000001', to: bob, chainId: 84_532 }],
    });
  });

  it('asks the wallet for what was shown, once, and for the chain that was meant', async () => {
    const known = await fees();
    await send();
    const asked = wallet.calls.filter(({ method }) => method === 'eth_sendTransaction');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.params).toEqual([
      {
        from: ann,
        to: bob,
        value: toHex(parseEther('1')),
        gas: toHex(known.gas),
        maxFeePerGas: expect.any(String) as string,
        maxPriorityFeePerGas: toHex(known.maxPriorityFeePerGas),
        // A wallet that has gone to another network can refuse by this.
        chainId: toHex(84_532),
      },
    ]);
    expect(wallet.calls.map(({ method }) => method).at(-2)).toBe('eth_chainId');
  });

  it('that is refused in the wallet leaves nothing behind (R8-35)', async () => {
    wallet.refuse('eth_sendTransaction');
    await expect(send()).rejects.toThrow('rejected');
    expect(sendsStore.list).toEqual([]);
    expect(kept()).toEqual({ uid: 'ann', sends: [] });
  });

  it('from a wallet that has gone to another network is not made', async () => {
    await switchChain(config, { chainId: 8_453 });
    const failed: unknown = await send(1n).catch((error: unknown) => error);
    expect(walletFailure(failed, 'send')).toMatchObject({
      kind: 'wrong-chain',
      safe: 'Nothing was sent.',
    });
    expect(wallet.calls.map(({ method }) => method)).not.toContain('eth_sendTransaction');
    expect(sendsStore.list).toEqual([]);
  });

  it('of an account that the wallet no longer gives leaves nothing behind: it was never asked for', async () => {
    const failed: unknown = await sendEther(config, {
      ...{ uid: 'ann', chainId: 84_532, from: bob, to: bob, wei: 1n, isSmart: false },
      fees: await fees(),
    }).catch((error: unknown) => error);
    expect(walletFailure(failed, 'send').safe).toBe('Nothing was sent.');
    expect(wallet.calls.map(({ method }) => method)).not.toContain('eth_sendTransaction');
    expect(sendsStore.list).toEqual([]);
  });

  it('of more than there is the chain refuses, and it is not sent', async () => {
    const failed: unknown = await send(parseEther('999999')).catch((error: unknown) => error);
    expect(walletFailure(failed, 'send')).toMatchObject({
      kind: 'not-enough',
      safe: 'Nothing was sent.',
    });
    expect(sendsStore.list).toEqual([]);
  });

  it('of which the wallet gives no clear answer stays, as unknown', async () => {
    wallet.fail('eth_sendTransaction', -32_603, 'Internal error');
    await expect(send()).rejects.toThrow();
    expect(newest()).toMatchObject({ stage: 'unknown', hash: null });
  });

  it('that the network already has is unknown, and the wallet is not asked for it in another way', async () => {
    wallet.fail('eth_sendTransaction', -32_000, 'already known');
    wallet.fail('wallet_sendTransaction', 4200, 'The wallet does not support this');
    const failed: unknown = await send().catch((error: unknown) => error);
    expect(walletFailure(failed, 'send').happened).toBe('The network already has this transfer.');
    expect(newest()).toMatchObject({ stage: 'unknown', hash: null });
    expect(wallet.calls.map(({ method }) => method)).not.toContain('wallet_sendTransaction');
  });

  it('that the wallet does not take is asked of it once', async () => {
    for (const code of [-32_000, -32_602, -32_601, -32_004]) {
      wallet.fail('eth_sendTransaction', code, 'no');
      await expect(send()).rejects.toThrow();
    }
    expect(
      wallet.calls.filter(({ method }) => /_sendTransaction$/.test(method)).map((c) => c.method),
    ).toEqual(Array.from({ length: 4 }, () => 'eth_sendTransaction'));
  });

  it('to which the wallet answers without a transaction is unknown, and costs no earlier one', async () => {
    const [first, second] = [await send(1n), await send(2n)];
    await waitFor(() => {
      expect(sendsStore.list.map(({ stage }) => stage)).toEqual(['confirmed', 'confirmed']);
    });
    for (const [at, answer] of [undefined, null, '', '0x', { hash: '0x1' }].entries()) {
      wallet.give('eth_sendTransaction', answer);
      const failed: unknown = await send(3n).catch((error: unknown) => error);
      expect(walletSentence(failed, 'send')).toBe(
        "Your wallet answered without a transaction. We do not know whether it was sent. Check your wallet's history before you try again.",
      );
      expect(newest()).toMatchObject({ stage: 'unknown', hash: null, wei: '3' });
      reload();
      expect(sendsStore.list).toHaveLength(3 + at);
      expect(sendsStore.list.slice(-2).map(({ id }) => id)).toEqual([second, first]);
    }
  });

  it("is kept as unknown where the wallet's window closed without its answer", async () => {
    wallet.fail('eth_sendTransaction', 4001, 'Request rejected');
    await expect(send()).rejects.toThrow();
    expect(newest()).toMatchObject({ stage: 'unknown', hash: null });
    expect(kept()).toMatchObject({ sends: [{ stage: 'unknown' }] });
  });

  it('that the person stops waiting for is unknown, until the wallet answers after all', async () => {
    const known = await fees();
    const begin = (): { stopped: () => boolean; sending: Promise<string> } => {
      let isStopped = false;
      const sending = sendEther(
        config,
        { uid: 'ann', chainId: 84_532, from: ann, to: bob, wei: 1n, isSmart: false, fees: known },
        () => {
          isStopped = true;
        },
      );
      return { stopped: () => isStopped, sending };
    };
    let letGo = wallet.hold('eth_sendTransaction');
    const first = begin();
    expect(first.stopped()).toBe(false);
    stopWaiting(newest()?.id ?? '');
    expect(first.stopped()).toBe(true);
    expect(newest()).toMatchObject({ stage: 'unknown', hash: null });
    letGo();
    await first.sending;
    await waitFor(() => {
      expect(newest()?.stage).toBe('confirmed');
    });

    letGo = wallet.hold('eth_sendTransaction');
    wallet.refuse('eth_sendTransaction');
    const second = begin();
    stopWaiting(newest()?.id ?? '');
    expect(newest()?.stage).toBe('unknown');
    letGo();
    await expect(second.sending).rejects.toThrow('rejected');
    expect(sendsStore.list.map(({ stage }) => stage)).toEqual(['confirmed']);
  });

  it('during whose question the page was left is unknown afterwards', () => {
    addSend('ann', { chainId: 84_532, from: ann, to: bob, wei: '1' });
    expect(sendsStore.list.map(stageOf)).toEqual(['asking']);
    const elsewhere = { ...newest(), id: 'of another page' } as never;
    expect(stageOf(elsewhere)).toBe('unknown');
  });
});

describe('a send that is not in a block yet', () => {
  it('is looked for again after a reload, and found though the node was away for a while', async () => {
    await chain.rpc('evm_setAutomine', [false]);
    await send();
    reload();
    expect(newest()?.stage).toBe('sent');
    away = true;
    watchSends(config, 'ann', sendsStore.list);
    const asked = node.of('/chain').length;
    await waitFor(() => {
      expect(node.of('/chain').length).toBeGreaterThan(asked + 1);
    });
    expect(newest()?.stage).toBe('sent');
    await chain.rpc('evm_mine');
    away = false;
    await waitFor(() => {
      expect(newest()?.stage).toBe('confirmed');
    });
  });

  it('after three minutes is not called lost, and is called confirmed when it comes after all (R9-14)', async () => {
    await chain.rpc('evm_setAutomine', [false]);
    const known = await fees();
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    });
    try {
      const sending = sendEther(config, {
        uid: 'ann',
        chainId: 84_532,
        from: ann,
        to: bob,
        wei: 1n,
        isSmart: false,
        fees: known,
      });
      await vi.waitFor(() => {
        expect(newest()?.stage).toBe('sent');
      });
      await sending;
      await vi.advanceTimersByTimeAsync(170_000);
      expect(newest()?.stage).toBe('sent');
      await vi.advanceTimersByTimeAsync(15_000);
      expect(newest()?.stage).toBe('unseen');
    } finally {
      vi.useRealTimers();
    }
    await chain.rpc('evm_mine');
    watchSends(config, 'ann', sendsStore.list);
    await waitFor(() => {
      expect(newest()?.stage).toBe('confirmed');
    });
  });

  it('in whose place the wallet sends another is called cancelled', async () => {
    await chain.rpc('evm_setAutomine', [false]);
    const from = node.asked.length;
    await send();
    await waitFor(() => {
      expect(
        node.asked
          .slice(from)
          .some(({ calls }) => calls.some(({ method }) => method === 'eth_getTransactionByHash')),
      ).toBe(true);
    });
    await waitFor(() => {
      expect(
        node.asked
          .slice(from)
          .filter(({ calls }) => calls.some(({ method }) => method === 'eth_getTransactionReceipt'))
          .length,
      ).toBeGreaterThan(1);
    });
    const nonce = await chain.rpc<string>('eth_getTransactionCount', [ann, 'latest']);
    await chain.rpc('eth_sendTransaction', [
      {
        from: ann,
        to: ann,
        value: '0x0',
        nonce,
        gas: '0x5208',
        maxFeePerGas: toHex(10n ** 11n),
        maxPriorityFeePerGas: toHex(10n ** 11n),
      },
    ]);
    await chain.rpc('evm_mine');
    await waitFor(() => {
      expect(newest()?.stage).toBe('cancelled');
    });
  });
});

describe('a recipient that refuses', () => {
  it('is noticed before the wallet is asked, with its reason', async () => {
    await chain.rpc('anvil_setCode', [bob, REFUSING]);
    try {
      const failed: unknown = await fees().catch((error: unknown) => error);
      expect(walletFailure(failed, 'send')).toMatchObject({
        kind: 'reverted',
        happened: "The recipient's contract would reject this: closed for today.",
        safe: 'Nothing was sent.',
      });
    } finally {
      await chain.rpc('anvil_setCode', [bob, '0x']);
    }
  });

  it('on the chain itself makes it reverted, with its reason and the fee', async () => {
    await chain.rpc('evm_setAutomine', [false]);
    await send(1n, 100_000n);
    await chain.rpc('anvil_setCode', [bob, REFUSING]);
    await chain.rpc('evm_mine');
    try {
      await waitFor(() => {
        expect(newest()?.stage).toBe('reverted');
      });
      expect(newest()?.reason).toBe('closed for today');
      expect(BigInt(newest()?.feeWei ?? '0') > 0n).toBe(true);
    } finally {
      await chain.rpc('anvil_setCode', [bob, '0x']);
    }
  });
});

describe("a smart wallet's transfer", () => {
  /** A contract that writes the event whose topics and data it is called with. */
  const ECHO = '0x606035604035602035600035608036038060806000376000a400';
  const ENTRY_POINT = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';
  const STRANGER = '0x00000000000000000000000000000000000000e5';
  const SMART = '0x00000000000000000000000000000000000000ab';
  const EVENT = toEventSelector(
    'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
  );
  interface Operation {
    sender?: Hex;
    paymaster?: Hex;
    success?: boolean;
    actualGasCost?: bigint;
  }
  const operation = ({
    sender = SMART,
    paymaster = zeroAddress,
    success = true,
    actualGasCost = 7_000_000_000n,
  }: Operation = {}): Hex =>
    encodeAbiParameters(
      parseAbiParameters('bytes32, bytes32, address, address, uint256, bool, uint256, uint256'),
      [EVENT, toHex(1n, { size: 32 }), sender, paymaster, 0n, success, actualGasCost, 30_000n],
    );
  /** A bundle of this operation by somebody else's key, as the smart wallet answers its hash. */
  const bundle = (data: Hex, to: Hex = ENTRY_POINT, nonce?: string, price = 10n ** 10n) =>
    chain.rpc<Hex>('eth_sendTransaction', [
      {
        from: bob,
        to,
        data,
        gas: toHex(200_000n),
        maxFeePerGas: toHex(price),
        maxPriorityFeePerGas: toHex(price),
        ...(nonce === undefined ? {} : { nonce }),
      },
    ]);
  const follow = (hash: Hex): void => {
    const id = addSend('ann', { chainId: 84_532, from: SMART, to: bob, wei: '1' });
    changeSend('ann', id, { hash, stage: 'sent' });
    watchSends(config, 'ann', sendsStore.list);
  };
  const outcome = async (): Promise<object> => {
    await waitFor(() => {
      expect(newest()?.stage).not.toBe('sent');
    });
    const { feeWei, stage } = newest() ?? {};
    return { feeWei, stage };
  };
  beforeEach(async () => {
    for (const at of [ENTRY_POINT, STRANGER]) await chain.rpc('anvil_setCode', [at, ECHO]);
  });

  it('is judged by its own operation in the bundle, and costs what that cost', async () => {
    follow(await bundle(operation()));
    expect(await outcome()).toEqual({ stage: 'confirmed', feeWei: '7000000000' });
    follow(await bundle(operation({ success: false })));
    expect(await outcome()).toEqual({ stage: 'reverted', feeWei: '7000000000' });
  });

  it('costs nothing where somebody else pays, and is still judged', async () => {
    follow(await bundle(operation({ paymaster: STRANGER })));
    expect(await outcome()).toEqual({ stage: 'confirmed', feeWei: null });
  });

  it("is unknown where no entry point tells of the wallet's operation", async () => {
    follow(await bundle(operation({ sender: STRANGER })));
    expect(await outcome()).toEqual({ stage: 'unknown', feeWei: null });
    follow(await bundle(operation(), STRANGER));
    expect(await outcome()).toEqual({ stage: 'unknown', feeWei: null });
  });

  it('is not called replaced where its bundler sends another bundle', async () => {
    await chain.rpc('evm_setAutomine', [false]);
    const from = node.asked.length;
    const receipts = () =>
      node.asked
        .slice(from)
        .filter(({ calls }) => calls.some(({ method }) => method === 'eth_getTransactionReceipt'));
    const nonce = await chain.rpc<string>('eth_getTransactionCount', [bob, 'latest']);
    follow(await bundle(operation(), ENTRY_POINT, nonce));
    await waitFor(() => {
      expect(receipts().length).toBeGreaterThan(1);
    });
    await bundle(`${operation()}00`, ENTRY_POINT, nonce, 10n ** 11n);
    await chain.rpc('evm_mine');
    expect(await outcome()).toEqual({ stage: 'confirmed', feeWei: '7000000000' });
  });
});

describe('what it costs at most', () => {
  it('counts what Base pays to Ethereum, and leaves it when all is sent', async () => {
    const without = await fees();
    expect(without.gas).toBe(21_000n);
    expect(without.feeWei).toBe(21_000n * without.maxFeePerGas);
    await chain.rpc('anvil_setCode', [
      ORACLE,
      answering(toHex(4_000_000_000n, { size: 32 }), 'return'),
    ]);
    try {
      const { feeWei, maxFeePerGas } = await fees();
      expect(feeWei).toBe(21_000n * maxFeePerGas + 5_000_000_000n);
    } finally {
      await chain.rpc('anvil_setCode', [ORACLE, '0x']);
    }
  });

  it('is what is left out when all is sent, and the chain takes that', async () => {
    const cara = chain.accounts[2]?.address ?? '0x';
    const from = { from: cara, to: bob, wei: 1n, isSmart: false } as const;
    const known = await estimateSend(config.getClient({ chainId: 84_532 }), from);
    const balance = BigInt(await chain.rpc<string>('eth_getBalance', [cara, 'latest']));
    const most = mostSendable(balance, known.feeWei);
    await chain.rpc('eth_sendTransaction', [
      {
        from: cara,
        to: bob,
        value: toHex(most ?? 0n),
        gas: toHex(known.gas),
        maxFeePerGas: toHex(known.maxFeePerGas),
        maxPriorityFeePerGas: toHex(known.maxPriorityFeePerGas),
      },
    ]);
    expect(mostSendable(5n, 5n)).toBeNull();
    expect(mostSendable(6n, 5n)).toBe(1n);
  });

  it('is reckoned higher for a smart wallet, which pays by an operation of its own', async () => {
    const plain = await fees();
    const smart = await estimateSend(config.getClient({ chainId: 84_532 }), {
      from: ann,
      to: bob,
      wei: 1n,
      isSmart: true,
    });
    expect(smart.feeWei > plain.feeWei * 10n).toBe(true);
  });
});

describe('what is kept of sends', () => {
  it("is the person's alone, and goes with them (F34, F35)", async () => {
    await send(1n);
    expect(JSON.stringify(localStorage)).toContain(bob);
    openSends('eve')();
    expect(sendsStore.list).toEqual([]);
    forgetPerson('ann');
    expect(localStorage.getItem('tradewind.walletSends')).toBeNull();
  });

  it('is nothing on a device that shall keep nothing, and still seen while the page lives', async () => {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    await send(1n);
    await waitFor(() => {
      expect(newest()?.stage).toBe('confirmed');
    });
    expect(localStorage.getItem('tradewind.walletSends')).toBeNull();
    await signOut();
    expect(sendsStore).toEqual({ uid: null, list: [] });
  });

  it("is not written over by another tab's, nor is that lost", () => {
    addSend('ann', { chainId: 84_532, from: ann, to: bob, wei: '1' });
    const own = kept() as { sends: object[] };
    localStorage.setItem(
      'tradewind.walletSends',
      JSON.stringify({
        uid: 'ann',
        sends: [{ ...own.sends[0], id: 'other tab', wei: '2' }, ...own.sends],
      }),
    );
    addSend('ann', { chainId: 84_532, from: ann, to: bob, wei: '3' });
    expect(sendsStore.list.map(({ wei }) => wei)).toEqual(['3', '2', '1']);
  });

  it('stays on screen where the device is full, through every later change and another look', () => {
    // All of one moment: the order they were sent in is kept all the same.
    const now = Date.now();
    const add = (wei: string): string =>
      addSend('ann', { chainId: 84_532, from: ann, to: bob, wei }, now);
    const [first, second] = [add('1'), add('2')];
    const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    try {
      const third = add('3');
      changeSend('ann', third, { hash: '0x03', stage: 'sent' });
      changeSend('ann', first, { hash: '0x01', stage: 'sent' });
      changeSend('ann', second, { stage: 'unknown' });
      const shown = [
        { wei: '3', stage: 'sent', hash: '0x03' },
        { wei: '2', stage: 'unknown' },
        { wei: '1', stage: 'sent', hash: '0x01' },
      ];
      expect(sendsStore.list).toMatchObject(shown);
      openSends('ann')();
      expect(sendsStore.list).toMatchObject(shown);
      dropSend('ann', second);
      openSends('ann')();
      expect(sendsStore.list.map(({ wei }) => wei)).toEqual(['3', '1']);
    } finally {
      full.mockRestore();
    }
    add('4');
    expect(kept()).toMatchObject({
      sends: [{ wei: '4' }, { wei: '3', stage: 'sent' }, { wei: '1', stage: 'sent' }],
    });
  });

  it('loses what another tab has removed, also where this one shows it', () => {
    const id = addSend('ann', { chainId: 84_532, from: ann, to: bob, wei: '1' });
    localStorage.setItem('tradewind.walletSends', JSON.stringify({ uid: 'ann', sends: [] }));
    addSend('ann', { chainId: 84_532, from: ann, to: bob, wei: '2' });
    expect(sendsStore.list.map((send) => send.id)).not.toContain(id);
  });

  it('that does not read is left out, and the rest of the wallet works', () => {
    localStorage.setItem('tradewind.walletSends', '{"uid":"ann","sends":[{"id":1}]}');
    reload();
    expect(sendsStore.list).toEqual([]);
  });

  it('costs no other one where it does not read, and is not written over by the next', () => {
    addSend('ann', { chainId: 84_532, from: ann, to: bob, wei: '1' });
    const [sound] = (kept() as { sends: object[] }).sends;
    const odd = { ...sound, id: 'of a later version', stage: 'bundled' };
    localStorage.setItem(
      'tradewind.walletSends',
      JSON.stringify({ uid: 'ann', sends: [odd, sound] }),
    );
    reload();
    expect(sendsStore.list).toEqual([sound]);
    addSend('ann', { chainId: 84_532, from: ann, to: bob, wei: '2' });
    expect(sendsStore.list.map(({ wei }) => wei)).toEqual(['2', '1']);
    expect(kept()).toMatchObject({ sends: [{ wei: '2' }, sound, odd] });
  });
});
