/**
 * A user with a mark in every text of theirs, and everything that is kept of them as one text, to
 * compare before and after an attack.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import * as z from 'zod/mini';
import { EXPORT_PARTS, ExportRows, type ExportPart } from '../../../contract/account.ts';
import type { CallableName, CallableRequest } from '../../../contract/callables.ts';
import type { CallBody } from '../../../contract/calls.ts';
import { softAuthenticator } from '../live/soft-authenticator.ts';
import { callApi } from '../server.ts';
import { stepUpDevice } from '../signer/desk-world.ts';

export interface Victim {
  uid: string;
  canary: string;
  /** Of everything they have, as somebody may have seen it in a picture or a link. */
  ids: string[];
  /** Everything that is kept of them. */
  keptNow(token: string): Promise<string>;
}

/** Fits into every text of the contract, an email address among them. */
export const newCanary = (): string => `cnry${randomBytes(8).toString('hex')}`;

const TRIES = 20;
const AGAIN_MS = 3_000;

/** Asked again while a party outside the server is away, as an emulator that starves for a while. */
export async function hosted<N extends CallableName>(
  url: string,
  token: string,
  name: N,
  data: CallableRequest<N>,
): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${url}/callable/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ data }),
    });
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { result: unknown }).result;
    if (response.status !== 503 || tries >= TRIES)
      throw new Error(`${name} answered ${response.status}: ${text}`);
    await new Promise((resolve) => {
      setTimeout(resolve, AGAIN_MS);
    });
  }
}

const Page = z.object({ next: ExportRows.shape.next });

async function exported(url: string, token: string, parts: readonly ExportPart[]): Promise<string> {
  let all = '';
  for (const part of parts) {
    let after: string | undefined;
    do {
      const page = await hosted(url, token, 'exportPage', {
        part,
        ...(after === undefined ? {} : { after }),
      });
      all += `${part} ${JSON.stringify(page)}\n`;
      after = Page.parse(page).next ?? undefined;
    } while (after !== undefined);
  }
  return all;
}

const AGENT = {
  trading_pairs: ['BTC/USDT', 'ETH/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 123,
  execution_interval: 'daily',
  enabled: false,
} as const;

async function linkAddress(url: string, token: string, label: string): Promise<string> {
  const account = privateKeyToAccount(generatePrivateKey());
  const { message } = await callApi(url, token, 'linkMessage', {
    body: { address: account.address, chainId: 84_532 },
  });
  const signature = await account.signMessage({ message });
  return (await callApi(url, token, 'linkAddress', { body: { message, signature, label } })).link
    .id;
}

async function addPasskey(url: string, token: string, label: string): Promise<string> {
  const { options } = await callApi(url, token, 'passkeyOptions');
  const response = softAuthenticator({ origin: url }).create(
    { challenge: String(options.challenge) },
    {},
  );
  const body = { label, response } as CallBody<'addPasskey'>;
  return (await callApi(url, token, 'addPasskey', { body })).passkey.id;
}

/** Support with diagnostics, push, and the referral code. */
async function talk(url: string, token: string, canary: string): Promise<string[]> {
  const id = randomUUID();
  await hosted(url, token, 'openSupportRequest', {
    id,
    category: 'other',
    text: `${canary} first words`,
    diagnostics: {
      appVersion: canary,
      browser: canary,
      screen: canary,
      language: canary,
      online: 'yes',
      stream: 'open',
      prices: canary,
      plan: 'free',
      installed: false,
      errors: [canary],
    },
  });
  const messageId = randomUUID();
  await hosted(url, token, 'addToSupportRequest', { requestId: id, messageId, text: canary });
  await hosted(url, token, 'registerPush', {
    subscription: {
      endpoint: `https://push.example.net/${canary}`,
      keys: {
        p256dh: stepUpDevice().key.publicKey.padEnd(87, 'A').slice(0, 87),
        auth: 'A'.repeat(22),
      },
    },
  }).catch(() => undefined);
  await hosted(url, token, 'referral', {});
  return [id, messageId];
}

/** Plants the mark. `token` is of a user who has bought a plan with agents. */
export async function plantVictim(
  url: string,
  { uid, token, canary }: { uid: string; token: string; canary: string },
  /** The provider's own record is left out where there is no provider to ask. */
  parts: readonly ExportPart[] = EXPORT_PARTS,
): Promise<Victim> {
  const { settings } = await callApi(url, token, 'tradingSettings');
  await callApi(url, token, 'updateTradingSettings', {
    body: { ...settings, displayName: canary },
  });
  const agents: string[] = [];
  for (const name of [`${canary} one`, `${canary} two`])
    agents.push(
      (
        await callApi(url, token, 'createAgent', {
          body: { ...AGENT, trading_pairs: [...AGENT.trading_pairs], name },
        })
      ).agent.id,
    );
  const alert = randomUUID();
  await callApi(url, token, 'setAlert', {
    params: { id: alert },
    body: {
      symbol: 'BTC/USDT',
      condition: { kind: 'above', price: '900000000' },
      repeatMinutes: null,
      note: canary,
      active: true,
      seenVersion: null,
      seen: null,
    },
  });
  const ids = [
    ...agents,
    alert,
    await linkAddress(url, token, canary),
    await addPasskey(url, token, canary),
    ...(await talk(url, token, canary)),
  ];
  return { uid, canary, ids, keptNow: (present) => exported(url, present, parts) };
}
