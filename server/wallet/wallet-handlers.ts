/**
 * Handlers of the calls about a user's wallet: status, linking and buying coins. They move no
 * coins.
 */
import type { Hex } from 'viem';
import { Refusal } from '../../contract/errors.ts';
import {
  WALLET_CHAIN_IDS,
  type LinkAddressBody,
  type WalletChainId,
} from '../../contract/wallet.ts';
import type { WallClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { EventLog } from '../db/user-events.ts';
import { Allowance } from '../http/allowance.ts';
import { handlersFor } from '../http/handlers.ts';
import type { Log } from '../log.ts';
import type { Market } from '../market/market-source.ts';
import {
  findMessage,
  keepMessage,
  removeLink,
  tooOld,
  writeLink,
  type LinkMessage,
} from './links.ts';
import { Onramp } from './onramp-session.ts';
import type { Proofs } from './proof.ts';
import { readWallet } from './read-wallet.ts';

const HOUR_MS = 3_600_000;
/** Each costs a row, or questions to a chain or a provider. */
const MESSAGES_AN_HOUR = 60;
const PROOFS_AN_HOUR = 120;
const SESSIONS_AN_HOUR = 30;
const QUOTES_AN_HOUR = 240;
const OPTIONS_AN_HOUR = 120;

export interface WalletDeps {
  database: Database;
  events: EventLog;
  market: Market;
  clock: WallClock;
  log: Log;
  /** The app's own address, whose host the signed message names. */
  publicOrigin: string;
  wallet: Config['wallet'];
}

/**
 * The libraries of chains take a second to load and most servers' days pass without them: opened at
 * the first use.
 */
const loadSiwe = () => import('./siwe.ts');

class Linking {
  private proofs: Promise<Proofs> | null = null;

  constructor(private readonly deps: WalletDeps) {}

  /**
   * What was signed, found and proved. Neither is inside a transaction: a chain may take its time.
   */
  async prove(
    uid: string,
    { message, signature }: LinkAddressBody,
  ): Promise<{ message: LinkMessage; proof: 'key' | 'contract' }> {
    const { database, clock, publicOrigin } = this.deps;
    const { nonceOf, whyForeign } = await loadSiwe();
    const nonce = nonceOf(message);
    const found = nonce === null ? null : await findMessage(database.db, uid, nonce, message);
    if (found === null)
      throw new Refusal(
        'link_message_refused',
        whyForeign(message, publicOrigin, WALLET_CHAIN_IDS),
      );
    // One that was used goes on: it may be the same command sent twice, which is answered from its
    // receipt.
    if (found.usedAt === null && found.expiresAt <= clock.now()) throw tooOld();
    const claim = {
      address: found.address as Hex,
      chainId: found.chainId as WalletChainId,
      message,
      signature: signature as Hex,
    };
    return { message: found, proof: await (await this.open()).proofOf(claim) };
  }

  /** While the person signs there is time to load what looks at the signature. */
  warm(): void {
    this.open().catch((error: unknown) => {
      this.deps.log.error(
        { reason: String(error) },
        'the code that verifies signatures could not be loaded',
      );
    });
  }

  private open(): Promise<Proofs> {
    this.proofs ??= import('./proof.ts')
      .then(({ Proofs: Made }) => new Made(this.deps.wallet.rpcUrls, this.deps.log))
      .catch((error: unknown) => {
        this.proofs = null;
        throw error;
      });
    return this.proofs;
  }
}

function linkHandlers(deps: WalletDeps) {
  const { clock, events, publicOrigin, wallet } = deps;
  const linking = new Linking(deps);
  const messages = new Allowance(MESSAGES_AN_HOUR, HOUR_MS, clock);
  const proofs = new Allowance(PROOFS_AN_HOUR, HOUR_MS, clock);
  return handlersFor({
    walletStatus: ({ caller }) =>
      readWallet(deps, caller.uid, wallet.onramp === null ? 'direct' : 'server'),

    linkMessage: async ({ caller: { uid }, commandId, body, once }) => {
      messages.take(uid);
      const { checkedAddress, makeMessage } = await loadSiwe();
      const address = checkedAddress(body.address);
      linking.warm();
      return once(async (tx) => {
        const now = clock.now();
        const made = makeMessage(publicOrigin, uid, address, body.chainId, now);
        await keepMessage(tx, { ...made, uid, chainId: body.chainId, address, createdAt: now });
        return { commandId, message: made.message, expiresAt: made.expiresAt };
      });
    },

    linkAddress: async ({ caller: { uid }, commandId, body, once }) => {
      proofs.take(uid);
      const { message, proof } = await linking.prove(uid, body);
      return once(async (tx) => {
        const label = body.label?.trim() ?? (proof === 'contract' ? 'Smart wallet' : 'Wallet');
        const link = await writeLink(tx, { message, proof, label, now: clock.now() });
        await events.append(tx, uid, [{ type: 'settings.changed' }]);
        return { commandId, link };
      });
    },

    unlinkAddress: ({ caller: { uid }, commandId, params: { id }, once }) =>
      once(async (tx) => {
        await removeLink(tx, uid, id);
        await events.append(tx, uid, [{ type: 'settings.changed' }]);
        return { commandId, id };
      }),
  });
}

/**
 * Nothing of ours is changed by these, so they leave no receipt: a session's token is for one
 * person's eyes, once.
 */
function onrampHandlers({ clock, log, wallet }: WalletDeps) {
  const onramp = wallet.onramp === null ? null : new Onramp(wallet.onramp, clock, log);
  const [sessions, quotes, options] = [SESSIONS_AN_HOUR, QUOTES_AN_HOUR, OPTIONS_AN_HOUR].map(
    (most) => new Allowance(most, HOUR_MS, clock),
  ) as [Allowance, Allowance, Allowance];
  const opened = (): Onramp => {
    if (onramp === null)
      throw new Refusal(
        'onramp_not_configured',
        'This server has no onramp keys. The app contacts the onramp directly.',
      );
    return onramp;
  };
  return handlersFor({
    onrampSession: async ({ caller: { uid }, commandId, body, ip }) => {
      const provider = opened();
      sessions.take(uid);
      const { checkedAddress } = await loadSiwe();
      return { commandId, token: await provider.session(checkedAddress(body.address), ip) };
    },
    onrampQuote: async ({ caller: { uid }, commandId, body }) => {
      const provider = opened();
      quotes.take(uid);
      return { commandId, ...(await provider.quote(body)) };
    },
    onrampOptions: async ({ caller: { uid }, query }) => {
      const provider = opened();
      options.take(uid);
      return provider.options(query);
    },
  });
}

export function walletHandlers(deps: WalletDeps) {
  return { ...linkHandlers(deps), ...onrampHandlers(deps) };
}
