/** A smart wallet for tests of signatures: its owner's key decides, as on a real chain. */
import {
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
  serializeErc6492Signature,
  type Address,
  type Hex,
} from 'viem';
import type { TestChain } from './anvil.ts';
import { until } from './until.ts';

/*
 * The source, compiled by solc 0.8.30 (optimizer, 200 runs, evmVersion paris, no metadata):
 *
 * contract OwnedWallet {
 *     address public owner;
 *     constructor(address owner_) { owner = owner_; }
 *     function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
 *         if (signature.length != 65) return 0xffffffff;
 *         address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
 *         return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
 *     }
 * }
 *
 * contract WalletFactory {
 *     function addressOf(address owner, bytes32 salt) public view returns (address) {
 *         bytes32 made = keccak256(abi.encodePacked(type(OwnedWallet).creationCode, abi.encode(owner)));
 *         return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, made)))));
 *     }
 *     function make(address owner, bytes32 salt) external returns (address wallet) {
 *         wallet = addressOf(owner, salt);
 *         if (wallet.code.length == 0) new OwnedWallet{salt: salt}(owner);
 *     }
 * }
 */
const FACTORY_CODE: Hex = `0x${
  '6080604052348015600f57600080fd5b5061054b8061001f6000396000f3fe608060405234801561001057600080fd5b50600436106100365760003560e01c8063ba272e06' +
  '1461003b578063e99718d81461006a575b600080fd5b61004e6100493660046101b5565b61007d565b6040516001600160a01b03909116815260200160405180910390f35b61' +
  '004e6100783660046101b5565b6100e4565b600061008983836100e4565b9050806001600160a01b03163b6000036100de5781836040516100ab906101a8565b6001600160a0' +
  '1b0390911681526020018190604051809103906000f59050801580156100db573d6000803e3d6000fd5b50505b92915050565b600080604051806020016100f7906101a8565b' +
  '601f1982820381018352601f9091011660408181526001600160a01b03871660208301520160408051601f198184030181529082905261013a929160200161021d565b604080' +
  '51601f1981840301815282825280516020918201206001600160f81b0319828501523060601b6bffffffffffffffffffffffff19166021850152603584019690965260558084' +
  '0196909652815180840390960186526075909201905283519301929092209392505050565b6103108061023b83390190565b600080604083850312156101c857600080fd5b82' +
  '356001600160a01b03811681146101df57600080fd5b946020939093013593505050565b6000815160005b8181101561020e57602081850181015186830152016101f4565b50' +
  '600093019283525090919050565b600061023261022c83866101ed565b846101ed565b94935050505056fe6080604052348015600f57600080fd5b5060405161031038038061' +
  '0310833981016040819052602c916050565b600080546001600160a01b0319166001600160a01b0392909216919091179055607e565b600060208284031215606157600080fd' +
  '5b81516001600160a01b0381168114607757600080fd5b9392505050565b6102838061008d6000396000f3fe608060405234801561001057600080fd5b506004361061003657' +
  '60003560e01c80631626ba7e1461003b5780638da5cb5b1461006c575b600080fd5b61004e6100493660046101a6565b610097565b6040516001600160e01b03199091168152' +
  '6020015b60405180910390f35b60005461007f906001600160a01b031681565b6040516001600160a01b039091168152602001610063565b6000604182146100b05750600160' +
  '0160e01b031961019f565b6000600185858560408181106100c8576100c8610224565b919091013560f81c90506100e060206000888a61023a565b6100e991610264565b6100' +
  'f760406020898b61023a565b61010091610264565b6040805160008152602081018083529590955260ff909316928401929092526060830152608082015260a0016020604051' +
  '602081039080840390855afa15801561014e573d6000803e3d6000fd5b5050604051601f1901519150506001600160a01b0381161580159061018057506000546001600160a0' +
  '1b038281169116145b610192576001600160e01b031961019b565b630b135d3f60e11b5b9150505b9392505050565b6000806000604084860312156101bb57600080fd5b8335' +
  '9250602084013567ffffffffffffffff8111156101d957600080fd5b8401601f810186136101ea57600080fd5b803567ffffffffffffffff81111561020157600080fd5b8660' +
  '2082840101111561021357600080fd5b939660209190910195509293505050565b634e487b7160e01b600052603260045260246000fd5b6000808585111561024a57600080fd' +
  '5b8386111561025757600080fd5b5050820193919092039150565b8035602083101561027d57600019602084900360031b1b165b9291505056'
}`;

const ABI = parseAbi([
  'function addressOf(address owner, bytes32 salt) view returns (address)',
  'function make(address owner, bytes32 salt) returns (address)',
]);

export interface SmartWallet {
  address: Address;
  /** Puts its contract on the chain. */
  deploy(): Promise<void>;
  isDeployed(): Promise<boolean>;
  /** A signature of its owner's that brings the making of the contract along (EIP-6492). */
  wrapped(signature: Hex): Hex;
}

async function send(
  chain: TestChain,
  transaction: { to?: Address; data: Hex },
): Promise<Address | null> {
  const hash = await chain.rpc<Hex>('eth_sendTransaction', [
    { from: chain.accounts[0]?.address, ...transaction },
  ]);
  // A chain that is busy has the transaction before it has the receipt.
  const receipt = await until(
    () =>
      chain.rpc<{ status: Hex; contractAddress: Address | null } | null>(
        'eth_getTransactionReceipt',
        [hash],
      ),
    (found) => found !== null,
  );
  if (receipt?.status !== '0x1') throw new Error('The chain refused a transaction of the test');
  return receipt.contractAddress;
}

/**
 * Puts the factory on the chain, from which wallets come: address by owner and salt, there or not.
 */
export async function walletFactory(
  chain: TestChain,
): Promise<(owner: Address, salt?: number) => Promise<SmartWallet>> {
  const factory = await send(chain, { data: FACTORY_CODE });
  if (factory === null) throw new Error('The factory is not there');
  return async (owner, salt = 0) => {
    const args: readonly [Address, Hex] = [owner, `0x${salt.toString(16).padStart(64, '0')}`];
    const answer = await chain.rpc<Hex>('eth_call', [
      { to: factory, data: encodeFunctionData({ abi: ABI, functionName: 'addressOf', args }) },
      'latest',
    ]);
    const address = decodeFunctionResult({ abi: ABI, functionName: 'addressOf', data: answer });
    const make = encodeFunctionData({ abi: ABI, functionName: 'make', args });
    return {
      address,
      async deploy() {
        await send(chain, { to: factory, data: make });
      },
      isDeployed: async () => (await chain.rpc<Hex>('eth_getCode', [address, 'latest'])) !== '0x',
      wrapped: (signature) =>
        serializeErc6492Signature({ address: factory, data: make, signature }),
    };
  };
}
