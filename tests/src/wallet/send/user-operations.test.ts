/** What a bundle's logs say of one wallet, where they say it more than once. */
import {
  encodeAbiParameters,
  encodeEventTopics,
  parseAbi,
  parseAbiParameters,
  type Log,
} from 'viem';
import { entryPoint06Address, entryPoint07Address } from 'viem/account-abstraction';
import { expect, it } from 'vitest';
import { operationOutcome } from '../../../../src/wallet/send/user-operations.ts';

const WALLET = '0x00000000000000000000000000000000000000ab';
const HASH = `0x${'1'.repeat(64)}` as const;
const abi = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);
const written = (success: boolean, address: `0x${string}` = entryPoint06Address): Log =>
  ({
    address,
    topics: encodeEventTopics({
      abi,
      eventName: 'UserOperationEvent',
      args: {
        userOpHash: HASH,
        sender: WALLET,
        paymaster: '0x0000000000000000000000000000000000000000',
      },
    }),
    data: encodeAbiParameters(parseAbiParameters('uint256, bool, uint256, uint256'), [
      0n,
      success,
      9n,
      3n,
    ]),
  }) as unknown as Log;

it("reads each version's entry point, and the wallet in any spelling", () => {
  for (const address of [entryPoint06Address, entryPoint07Address])
    expect(
      operationOutcome([written(true, address)], WALLET.toUpperCase().replace('X', 'x')),
    ).toEqual({ success: true, feeWei: 9n });
});

it('of several operations names no fee, and no outcome where they differ', () => {
  expect(operationOutcome([written(true), written(true)], WALLET)).toEqual({
    success: true,
    feeWei: null,
  });
  expect(operationOutcome([written(true), written(false)], WALLET)).toBeNull();
  expect(operationOutcome([], WALLET)).toBeNull();
});
