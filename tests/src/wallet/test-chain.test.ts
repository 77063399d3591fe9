/** The chain that tests of the wallet run against is a real one. */
import { createPublicClient, createWalletClient, http, parseEther } from 'viem';
import { baseSepolia } from 'viem/chains';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/anvil.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startChain();
});
afterAll(async () => {
  await chain.stop();
});

it('is Base Sepolia to a wallet, signs for its accounts, and takes what they sign themselves', async () => {
  const transport = http(chain.url);
  const reading = createPublicClient({ chain: baseSepolia, transport });
  const [ann, bob] = chain.accounts;
  if (ann === undefined || bob === undefined) throw new Error('no accounts');
  expect(await reading.getChainId()).toBe(84_532);
  expect(
    (await chain.rpc<string[]>('eth_accounts')).map((address) => address.toLowerCase()),
  ).toEqual(chain.accounts.map(({ address }) => address.toLowerCase()));
  const hash = await createWalletClient({
    account: ann,
    chain: baseSepolia,
    transport,
  }).sendTransaction({ to: bob.address, value: parseEther('1') });
  await chain.rpc('eth_sendTransaction', [{ from: ann.address, to: bob.address, value: '0x1' }]);
  expect((await reading.getTransactionReceipt({ hash })).status).toBe('success');
  expect(await reading.getBalance({ address: bob.address })).toBe(parseEther('10001') + 1n);
  await expect(chain.rpc('eth_nothing')).rejects.toMatchObject({
    name: 'ChainRefused',
    code: -32_601,
  });
});
