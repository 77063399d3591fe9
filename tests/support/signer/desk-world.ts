/** A signer's desk in a folder of its own, before an exchange whose answers a test writes. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFixed } from '../../../contract/money.ts';
import {
  stepUpBytes,
  type ApiKey,
  type LiveExchange,
  type OrderIntent,
  type SpendingLimits,
  type StepUpKey,
  type StepUpStatement,
  type StepUpToken,
} from '../../../contract/signer.ts';
import { sealKey } from '../../../server/live/seal-key.ts';
import { Desk } from '../../../signer/desk.ts';
import type { Clock } from '../../../signer/exchanges/budget.ts';
import { openLog } from '../../../signer/log.ts';
import { openStore } from '../../../signer/open-signer.ts';
import { Secrets } from '../../../signer/secrets.ts';
import type { PasskeySite } from '../../../signer/step-up.ts';
import { startAnswerServer, type Answerer } from './answer-server.ts';

export const limitsOf = (order: string, exposure: string, loss: string): SpendingLimits => ({
  maxOrder: parseFixed(order),
  maxExposure: parseFixed(exposure),
  maxDailyLoss: parseFixed(loss),
});

export const newOrderId = (): string => randomBytes(16).toString('hex');

export interface HandClock extends Clock {
  at: number;
}
/** Waits pass at once, and time with them. */
export function handClock(at = Date.parse('2026-01-01T10:00:00Z')): HandClock {
  const clock: HandClock = {
    at,
    now: () => clock.at,
    sleep: (ms) => {
      clock.at += ms;
      return Promise.resolve();
    },
  };
  return clock;
}

/** A person's device: signs what they agreed to. */
export function stepUpDevice(id = 'device-1') {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key: StepUpKey = {
    id,
    kind: 'ed25519',
    publicKey: publicKey.export({ format: 'jwk' }).x ?? '',
  };
  const agree = (statement: StepUpStatement): StepUpToken => ({
    statement,
    keyId: id,
    signature: sign(null, stepUpBytes(statement), privateKey).toString('base64url'),
  });
  return { key, agree };
}

interface WorldOptions {
  exchange?: LiveExchange;
  key: ApiKey;
  answers: (clock: HandClock) => Answerer;
  stepUpKeys?: StepUpKey[];
  folder?: string;
  clock?: HandClock;
  passkeys?: PasskeySite;
  /** Takes the place of the way to the exchange. */
  fetch?: typeof fetch;
}

export async function openDeskWorld({
  exchange = 'kraken',
  key,
  answers,
  stepUpKeys = [],
  folder = mkdtempSync(join(tmpdir(), 'signer-')),
  clock = handClock(),
  passkeys = { rpId: '', origins: [] },
  fetch,
}: WorldOptions) {
  const server = await startAnswerServer(answers(clock));
  const secrets = new Secrets();
  const logged: string[] = [];
  const log = openLog(secrets, (line) => logged.push(line));
  const store = await openStore(folder, () => clock.now(), secrets);
  const origins = { [exchange]: server.origin };
  const parts = { ...store, secrets, log, clock, origins, passkeys };
  const desk = new Desk({ ...parts, ...(fetch === undefined ? {} : { fetch }) });
  const own = { connectionId: 'connection-1', ownerId: 'person-1', exchange };
  const connect = async (limits: SpendingLimits | null = null) =>
    desk.answer({
      act: 'connect',
      ...own,
      accountId: 'account-1',
      sealedKey: await sealKey(key, own, store.box.current),
      limits,
      stepUpKeys,
    });
  const close = async (): Promise<void> => {
    store.close();
    await server.close();
  };
  return {
    ...own,
    clock,
    close,
    connect,
    desk,
    folder,
    key,
    logged,
    server,
    store,
    remove: async () => {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
    intent: (more: Partial<OrderIntent> = {}): OrderIntent => ({
      clientOrderId: newOrderId(),
      connectionId: own.connectionId,
      agentId: 'agent-1',
      symbol: 'BTC/USD',
      side: 'buy',
      type: 'limit',
      quantity: parseFixed('0.001'),
      limitPrice: parseFixed('60100'),
      stopPrice: null,
      deadlineMs: clock.now() + 30_000,
      ...more,
    }),
    /** Requests that would have made an order. */
    sent: () =>
      server.asked.filter(
        ({ method, path }) =>
          path.endsWith('/AddOrder') ||
          (method === 'POST' && /\/(brokerage\/orders|v3\/order)$/.test(path)),
      ),
  };
}
export type DeskWorld = Awaited<ReturnType<typeof openDeskWorld>>;
