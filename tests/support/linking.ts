/**
 * The steps of linking an address as an app takes them, on the whole server in this process;
 * refuses to take any of them for granted.
 */
import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type {
  LinkAddressReply,
  LinkedAddress,
  LinkMessageReply,
  WalletChainId,
  WalletStatus,
} from '../../contract/wallet.ts';
import type { TestApp } from './app.ts';

export interface Person {
  uid: string;
  token: string;
}

export interface Answer {
  status: number;
  /** The refusal's, or `ok`. */
  code: string;
  message: string;
  json: unknown;
}

export const newKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

export async function newPerson(app: TestApp): Promise<Person> {
  const uid = `Linker${randomUUID()}`;
  return { uid, token: await app.signToken(uid) };
}

export async function answerOf(work: ReturnType<TestApp['call']>): Promise<Answer> {
  const { status, json } = await work;
  const { error } = json as { error?: { code: string; message: string } };
  return { status, code: error?.code ?? 'ok', message: error?.message ?? '', json };
}

/** The message that this person's wallet is to sign. */
export async function messageFor(
  app: TestApp,
  { token }: Person,
  address: string,
  chainId: WalletChainId = 84_532,
): Promise<string> {
  const answer = await answerOf(app.call('linkMessage', { token, body: { address, chainId } }));
  if (answer.code !== 'ok') throw new Error(`No message: ${answer.code}`);
  return (answer.json as LinkMessageReply).message;
}

export const sendProof = (
  app: TestApp,
  { token }: Person,
  message: string,
  signature: string,
  more: { label?: string; commandId?: string } = {},
): Promise<Answer> =>
  answerOf(
    app.call('linkAddress', {
      token,
      body: { message, signature, ...(more.label === undefined ? {} : { label: more.label }) },
      ...(more.commandId === undefined ? {} : { commandId: more.commandId }),
    }),
  );

/** The whole way for a key of one's own. */
export async function linkKey(app: TestApp, who: Person, account = newKey()): Promise<Answer> {
  const message = await messageFor(app, who, account.address);
  return sendProof(app, who, message, await account.signMessage({ message }));
}

export const unlink = (app: TestApp, { token }: Person, id: string): Promise<Answer> =>
  answerOf(app.call('unlinkAddress', { token, params: { id } }));

export const linkOf = (answer: Answer): LinkedAddress => (answer.json as LinkAddressReply).link;

export const walletOf = async (app: TestApp, { token }: Person): Promise<WalletStatus> =>
  (await answerOf(app.call('walletStatus', { token }))).json as WalletStatus;
