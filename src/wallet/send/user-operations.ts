/** What became of a smart wallet's operation, read from the receipt of the bundle that has it. */
import { parseEventLogs, zeroAddress, type Log } from 'viem';

/** The contracts that run bundles, v0.6 to v0.8: anybody's contract can write the same event. */
const ENTRY_POINTS = new Set([
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
]);

/** The same in all versions. The library's own lists are ten times as long. */
const OPERATION_EVENT = [
  {
    type: 'event',
    name: 'UserOperationEvent',
    inputs: [
      { name: 'userOpHash', type: 'bytes32', indexed: true },
      { name: 'sender', type: 'address', indexed: true },
      { name: 'paymaster', type: 'address', indexed: true },
      { name: 'nonce', type: 'uint256' },
      { name: 'success', type: 'bool' },
      { name: 'actualGasCost', type: 'uint256' },
      { name: 'actualGasUsed', type: 'uint256' },
    ],
  },
] as const;

export interface OperationOutcome {
  success: boolean;
  /** What the wallet paid; null where somebody else did, or where it cannot be told. */
  feeWei: bigint | null;
}

/** Null where the logs do not say, or say two things of this wallet. */
export function operationOutcome(logs: readonly Log[], from: string): OperationOutcome | null {
  const sender = from.toLowerCase();
  const ours = parseEventLogs({
    abi: OPERATION_EVENT,
    logs: logs.filter(({ address }) => ENTRY_POINTS.has(address.toLowerCase())),
  }).filter(({ args }) => args.sender.toLowerCase() === sender);
  const [first] = ours;
  if (first === undefined || ours.some(({ args }) => args.success !== first.args.success))
    return null;
  const { actualGasCost, paymaster, success } = first.args;
  return {
    success,
    feeWei: ours.length === 1 && paymaster === zeroAddress ? actualGasCost : null,
  };
}
