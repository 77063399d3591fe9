/**
 * A signer with one person's key and one agent whose start they confirmed, before a stand-in
 * exchange. Whoever asks it holds all that the web process and its database hold.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFixed } from '../../../contract/money.ts';
import type {
  ApiKey,
  LiveExchange,
  OrderIntent,
  SignerReply,
  SpendingLimits,
  StepUpStatement,
  StepUpToken,
} from '../../../contract/signer.ts';
import type { SignerPort } from '../../../server/live/live-deps.ts';
import { sealKey } from '../../../server/live/seal-key.ts';
import { SignerClient } from '../../../server/live/signer-client.ts';
import { FIRST_WEEK } from '../../../signer/limits.ts';
import { openSigner } from '../../../signer/open-signer.ts';
import { keyDigest } from '../../../signer/replace-key.ts';
import { startStandIn, type StandIn, type StandInOptions } from '../exchange/stand-in.ts';
import { newOrderId, stepUpDevice } from './desk-world.ts';

export const STARTED = 'agent-started';
export const ACCOUNT = 'main';

export interface Theft {
  standIn: StandIn;
  /** The signer's socket, which the thief has. */
  ask: SignerPort['ask'];
  connectionId: string;
  exchange: LiveExchange;
  /** Of the signer. */
  folder: string;
  pair: string;
  /** A confirmation that the person gave and that was used. */
  spent: StepUpToken;
  /** The person's device, which the thief has not. */
  device: ReturnType<typeof stepUpDevice>;
  now: () => number;
  advance: (ms: number) => Promise<void>;
  statement: (more?: Partial<StepUpStatement>) => StepUpStatement;
  /** A purchase within every limit; what differs from it is given. */
  intent: (more?: Partial<OrderIntent>) => OrderIntent;
  connectAgain: (more?: {
    connectionId?: string;
    accountId?: string;
    key?: ApiKey;
    stepUpKeys?: ReturnType<typeof stepUpDevice>['key'][];
    limits?: SpendingLimits;
  }) => ReturnType<typeof connectOne>;
  /** What the person signs for a new key. */
  agreedKey: (key: ApiKey) => StepUpToken;
  replaceKey: (key: ApiKey, stepUp?: StepUpToken) => Promise<SignerReply<'replace_key'>>;
  close: () => Promise<void>;
}

const OWNER = 'person-1';
const OWN_ACCOUNT = 'account-1';

interface Connecting {
  ask: SignerPort['ask'];
  exchange: LiveExchange;
  connectionId: string;
  accountId: string;
  key: ApiKey;
  stepUpKeys: ReturnType<typeof stepUpDevice>['key'][];
  limits: SpendingLimits | null;
}

async function connectOne({ ask, exchange, connectionId, key, ...rest }: Connecting) {
  const { boxKey } = await ask({ act: 'hello', version: 1 });
  const own = { connectionId, ownerId: OWNER, exchange };
  return ask({
    act: 'connect',
    ...own,
    accountId: rest.accountId,
    sealedKey: await sealKey(key, own, boxKey),
    limits: rest.limits,
    stepUpKeys: rest.stepUpKeys,
  });
}

export async function openTheft(
  exchange: LiveExchange,
  options: Partial<StandInOptions> = {},
): Promise<Theft> {
  const quote = exchange === 'binance' ? 'USDT' : 'USD';
  const pair = `BTC/${quote}`;
  const standIn = await startStandIn({
    accounts: [{ name: ACCOUNT, balances: { [quote]: '10000', BTC: '0.5', ETH: '3' } }],
    ...options,
    dialect: exchange,
  });
  const now = (): number => standIn.clock.trueNow();
  const advance = (ms: number): Promise<void> => standIn.advance(ms);
  const folder = mkdtempSync(join(tmpdir(), 'theft-'));
  const listen = { kind: 'unix', path: join(folder, 'signer.sock') } as const;
  const signer = await openSigner(
    {
      folder,
      listen,
      origins: { [exchange]: standIn.url },
      passkeys: { rpId: '', origins: [] },
    },
    () => undefined,
    { now, sleep: advance },
  );
  const client = new SignerClient(listen);
  const ask: Theft['ask'] = (question) => client.ask(question);
  const device = stepUpDevice();
  const key = standIn.issueKey(ACCOUNT);
  const connectionId = 'connection-1';
  const given = { ask, exchange, connectionId, accountId: OWN_ACCOUNT, key };
  const report = await connectOne({ ...given, stepUpKeys: [device.key], limits: null });
  if (report.kind !== 'read' || !report.value.accepted) throw new Error('The key was not taken');
  const statement = (more: Partial<StepUpStatement> = {}): StepUpStatement => ({
    purpose: 'start_agent',
    connectionId,
    accountId: OWN_ACCOUNT,
    agentId: STARTED,
    limits: FIRST_WEEK,
    nonce: randomBytes(16).toString('base64url'),
    issuedAtMs: now(),
    ...more,
  });
  const spent = device.agree(statement());
  const agreedKey = ({ apiKey }: ApiKey): StepUpToken =>
    device.agree(
      statement({ purpose: 'replace_key', agentId: null, keyDigest: keyDigest({ apiKey }) }),
    );
  const started = await ask({ act: 'start_agent', connectionId, stepUp: spent });
  if (started.kind !== 'done') throw new Error(`The agent was not started: ${started.code}`);
  return {
    standIn,
    ask,
    connectionId,
    exchange,
    folder,
    pair,
    spent,
    device,
    now,
    advance,
    statement,
    intent: (more = {}) => ({
      clientOrderId: newOrderId(),
      connectionId,
      agentId: STARTED,
      symbol: pair,
      side: 'buy',
      type: 'market',
      quantity: parseFixed('0.001'),
      limitPrice: null,
      stopPrice: null,
      deadlineMs: now() + 30_000,
      ...more,
    }),
    connectAgain: (more = {}) =>
      connectOne({ ...given, stepUpKeys: [device.key], limits: null, ...more }),
    agreedKey,
    replaceKey: async (one, stepUp = agreedKey(one)) => {
      // Requests of one key have growing numbers at Kraken, which begin with the time.
      await advance(1_000);
      const { boxKey } = await ask({ act: 'hello', version: 1 });
      const own = { connectionId, ownerId: OWNER, exchange };
      return ask({
        act: 'replace_key',
        ...own,
        sealedKey: await sealKey(one, own, boxKey),
        stepUp,
      });
    },
    close: async () => {
      client.close();
      await signer.close();
      await standIn.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
