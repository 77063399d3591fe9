/** Answers every request of the server. There is no request to withdraw or transfer. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  LiveExchange,
  SIGNER_VERSION,
  type ApiKey,
  type ConnectionState,
  type KeyReport,
  type OrderRef,
  type SignerAsk,
  type SignerReply,
} from '../contract/signer.ts';
import { formatFixed } from '../contract/money.ts';
import type { CancelOutcome, VenueFill, VenueOrder } from '../contract/venue.ts';
import type { AuditLog } from './audit-log.ts';
import type { Box } from './box.ts';
import { checkKey } from './check-key.ts';
import { CountedRefusals } from './counted-refusals.ts';
import { lossToday } from './day-loss.ts';
import { ReadFailed, type Adapter } from './exchanges/adapter.ts';
import { NotSent, type BanRecord, type Clock } from './exchanges/budget.ts';
import { openExchange, type OpenExchange } from './exchanges/open-exchange.ts';
import type { Journal } from './journal.ts';
import type { KeyStore } from './key-store.ts';
import { isFull, isWritten } from './disk.ts';
import { Doubts } from './doubts.ts';
import { leaveDust } from './dust-left.ts';
import { exposureOf, unresolvedOf, type Connection } from './ledger.ts';
import {
  FIRST_WEEK,
  FIRST_WEEK_MS,
  firstLimits,
  isRaised,
  isSame,
  isTooOften,
  limitsInForce,
} from './limits.ts';
import type { Log } from './log.ts';
import { LongLists } from './long-lists.ts';
import { LostSales } from './lost-sales.ts';
import { MarketView } from './market-view.ts';
import { Observer } from './observe.ts';
import { DISK_FULL, placeOrder, refusalInPlaceOf, STOPPING, type Placing } from './place-order.ts';
import type { SignerRecord } from './records.ts';
import { keyDigest, replaceKey } from './replace-key.ts';
import type { Reserve } from './reserve.ts';
import { isSameAccount } from './same-account.ts';
import type { Secrets } from './secrets.ts';
import type { SpentRecord, SpentStore } from './spent.ts';
import { signedBy, stepUpFault, type PasskeySite, type Wanted } from './step-up.ts';
import { UnderWay } from './under-way.ts';
import { UnreadRows } from './unread-rows.ts';
import { writeOff, type WritingOff } from './write-off.ts';

export interface DeskParts {
  journal: Journal;
  audit: AuditLog;
  reserve: Reserve;
  keys: KeyStore;
  spent: Pick<SpentStore, 'record'>;
  box: Box;
  secrets: Secrets;
  log: Log;
  clock: Clock;
  /** Takes the place of each exchange's address; for tests and testnets. */
  origins: Partial<Record<LiveExchange, string>>;
  passkeys: PasskeySite;
  fetch?: typeof fetch;
}

type Of<A extends SignerAsk['act']> = Extract<SignerAsk, { act: A }>;
const refused = (code: string, detail: string) =>
  ({ kind: 'refused', by: 'signer', code, detail }) as const;
const NO_CONNECTION = refused('no_connection', 'no key is kept for this connection');
const DONE = { kind: 'done' } as const;
/** Of the audit log: only lines of orders, cancellations and keys taken away use the reserve. */
const SPARES = true;
/** How far an exchange's clock may be from ours: an order cannot be older than its sending less this. */
const CLOCKS_APART_MS = 2 * 60_000;
/**
 * Nothing of ours is older than its connection. A stolen server that asked for decades would keep
 * everyone else from asking: some exchanges read a day at a time.
 */
const LISTS_BEFORE_MS = 60 * 60_000;
/** How often it is written down that a key is as it was. */
const SAME_KEY_MS = 24 * 60 * 60_000;
/** How often a list that fails makes the rules be read again. */
const RULES_DOUBT_MS = 60_000;

export class Desk {
  private readonly exchanges = new Map<LiveExchange, Promise<OpenExchange>>();
  private readonly markets = new Map<LiveExchange, MarketView>();
  private readonly adapters = new Map<string, Promise<Adapter>>();
  private readonly inFlight = new Set<string>();
  private readonly underWay = new UnderWay(refused(STOPPING.code, STOPPING.detail));
  /** What was read and changed nothing is not written down. */
  private readonly keyReadAtMs = new Map<string, number>();
  private readonly rulesDoubted = new Map<LiveExchange, number>();
  private readonly lostSales: LostSales;
  private readonly observer: Observer;
  private readonly refusals: CountedRefusals;
  private readonly doubts: Doubts;
  private readonly unread: UnreadRows;
  private readonly tradeLists: LongLists<VenueFill>;
  private readonly endedLists: LongLists<VenueOrder>;

  constructor(private readonly parts: DeskParts) {
    this.lostSales = new LostSales({
      journal: parts.journal,
      now: () => this.now(),
      lookUp: (connectionId, order) => this.lookUp(connectionId, order),
      isSameAccount: async (one) => isSameAccount(await this.adapter(one), one),
    });
    this.observer = new Observer(
      parts.journal,
      () => this.now(),
      (order) => {
        this.lostSales.saw(order);
      },
    );
    this.refusals = new CountedRefusals(parts.audit, () => this.now());
    this.unread = new UnreadRows(parts.log, (id) => this.ledger.connections.get(id));
    this.tradeLists = new LongLists(
      () => this.now(),
      (fill) => `${fill.symbol} ${fill.tradeId}`,
    );
    this.endedLists = new LongLists(
      () => this.now(),
      (order) => order.exchangeOrderId,
    );
    this.doubts = new Doubts({
      now: () => this.now(),
      log: parts.log,
      lookUp: (connectionId, order) => this.lookUp(connectionId, order),
      lost: this.lostSales,
    });
  }

  /** The reply belongs to the act; the socket's own types say so to whoever asks. */
  async answer(ask: SignerAsk): Promise<unknown> {
    try {
      return await this.carryOut(ask);
    } catch (error) {
      if (!isFull(error)) throw error;
      return refused(DISK_FULL.code, DISK_FULL.detail);
    }
  }

  private async carryOut(ask: SignerAsk): Promise<unknown> {
    switch (ask.act) {
      case 'hello':
        return this.hello();
      case 'check_key':
        return this.checkNew(ask);
      case 'connect':
        return this.connect(ask);
      case 'replace_key':
        return this.replaceKey(ask);
      case 'recheck':
        return this.recheck(ask.connectionId);
      case 'disconnect':
        return this.disconnect(ask.connectionId);
      case 'set_limits':
        return this.setLimits(ask);
      case 'start_agent':
        return this.startAgent(ask);
      case 'end_agent':
        return this.endAgent(ask);
      case 'place':
        return this.place(ask);
      case 'may_sell':
        return this.maySell(ask);
      case 'write_off':
        return this.writeOff(ask);
      case 'cancel':
        return this.cancel(ask.connectionId, ask.order);
      case 'look_up':
        return this.lookUp(ask.connectionId, ask.order);
      case 'open_orders':
      case 'closed_orders':
      case 'trades':
      case 'balances':
        return this.read(ask);
      case 'pair_rules':
        return readAs(async () => {
          const market = await this.market(ask.exchange);
          const { symbols, isNow, orLast } = ask;
          return isNow === true ? market.rulesNowOf(symbols) : market.rulesOf(symbols, orLast);
        });
      case 'state':
        return this.state(ask.connectionId);
    }
  }

  /**
   * Permissions again, where they were read longer ago than that; a key that gained a right is used
   * no more. One with a fault is always read: the person may have mended it, and an exchange that
   * refused it by mistake must not keep it from buying for a day. What one key throws holds up no
   * other; it is read again at the next look. The reserve of the disk is filled up again at each look:
   * while nobody buys, nobody else asks for it.
   */
  async recheckAll(olderThanMs: number): Promise<void> {
    this.parts.reserve.isWhole();
    for (const { connectionId, connected, checkedAtMs, faults } of this.ledger.connections.values())
      if (connected && (faults.length > 0 || this.now() - checkedAtMs > olderThanMs))
        await this.recheck(connectionId).catch((error: unknown) => {
          this.parts.log.error(
            { connectionId, error: error instanceof Error ? error.name : 'unknown' },
            'permissions could not be read again',
          );
        });
  }

  private get ledger() {
    return this.parts.journal.ledger;
  }

  private now(): number {
    return this.parts.clock.now();
  }

  private hello(): SignerReply<'hello'> {
    return {
      version: SIGNER_VERSION,
      boxKey: this.parts.box.current,
      firstWeek: FIRST_WEEK,
      exchanges: LiveExchange.options,
      nowMs: this.now(),
    };
  }

  private async checkNew(ask: Of<'check_key'>): Promise<SignerReply<'check_key'>> {
    const key = await this.unseal(ask);
    if ('kind' in key) return key;
    const report = await readAs(async () =>
      checkKey(ask.exchange, await this.withKey(ask.exchange, key, null), null),
    );
    if (this.connectionOf(ask.connectionId) === null) this.parts.secrets.forget(ask.connectionId);
    return report;
  }

  private async connect(ask: Of<'connect'>): Promise<SignerReply<'connect'>> {
    const { audit, keys } = this.parts;
    const { connectionId, ownerId, accountId, exchange } = ask;
    const before = this.ledger.connections.get(connectionId);
    if (
      before !== undefined &&
      (before.ownerId !== ownerId || before.exchange !== exchange || before.accountId !== accountId)
    )
      return refused('other_connection', 'this id belongs to another account or exchange');
    const key = await this.unseal(ask);
    if ('kind' in key) return key;
    // Of another key the person has to say so themselves, and it has to show their account.
    if (before !== undefined && !(await this.isKept(connectionId, key)))
      return refused('other_key', 'another key was connected before');
    const keysBefore = before?.keys ?? 0;
    const adapter = await this.withKey(exchange, key, null);
    const report = await readAs(() => checkKey(exchange, adapter, before?.portfolioId ?? null));
    const accepted = report.kind === 'read' && report.value.accepted;
    audit.write(
      'server',
      accepted ? 'key connected' : 'key not taken',
      {
        connectionId,
        ownerId,
        exchange,
        ...(report.kind === 'read' ? { faults: report.value.faults.join(',') } : {}),
      },
      SPARES,
    );
    if (!accepted) {
      if (!keys.has(connectionId)) this.parts.secrets.forget(connectionId);
      return report;
    }
    const portfolioId = report.value.permissions?.portfolioId ?? null;
    const known = this.ledger.connections.get(connectionId);
    // Another request was first while the exchange was asked; what it kept is not this one's to change.
    if (known !== before || (known?.keys ?? 0) !== keysBefore)
      return (await this.isKept(connectionId, key))
        ? report
        : refused('other_connection', 'this id was connected meanwhile');
    keys.keepWith(ask.sealedKey, ask, keysBefore + 1, () => {
      this.noteConnected({ ...ask, limits: firstLimits(ask.limits), portfolioId });
    });
    await this.use(connectionId, exchange, key);
    return report;
  }

  /** The very same key: a connecting whose answer was lost. */
  private async isKept(connectionId: string, key: ApiKey): Promise<boolean> {
    if (!this.parts.keys.has(connectionId)) return false;
    const kept = await this.parts.keys.opened(connectionId).catch(() => null);
    return kept?.apiKey === key.apiKey && kept.secret === key.secret;
  }

  private async replaceKey(ask: Of<'replace_key'>): Promise<SignerReply<'replace_key'>> {
    const { connectionId, ownerId, exchange, sealedKey, stepUp } = ask;
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    if (connection.ownerId !== ownerId || connection.exchange !== exchange)
      return refused('other_connection', 'this id belongs to another account or exchange');
    const { audit, keys, secrets } = this.parts;
    // The text of the old key is kept out of everything as long as it is in use.
    const holder = `${connectionId} new ${randomUUID()}`;
    const key = await this.unseal(ask, holder);
    if ('kind' in key) return key;
    try {
      // The same request again, whose answer was lost: its confirmation is used up.
      if (await this.isKept(connectionId, key)) return await this.recheck(connectionId);
      // What an exchange does to a key that may not be taken is not to hit the one that is in use.
      const adapter = await this.withKey(exchange, key, null);
      const wanted = (): Wanted => ({
        purpose: 'replace_key',
        agentId: null,
        limits: limitsInForce(connection.limits, connection.connectedAtMs, this.now()),
        keyDigest: keyDigest(key),
      });
      const answer = await readAs(() =>
        replaceKey({ audit, keys, adapter, sealedKey }, connection, {
          spend: () => this.spend(stepUp, wanted, connection),
          gone: () => (this.connectionOf(connectionId) === connection ? null : NO_CONNECTION),
          note: () => {
            this.noteConnected(connection);
          },
          taken: () => {
            secrets.hold(connectionId, [key.apiKey, key.secret]);
            void this.use(connectionId, exchange, key);
          },
        }),
      );
      if (answer.kind !== 'read') return answer;
      const { value } = answer;
      return 'kind' in value ? value : { kind: 'read', value };
    } finally {
      secrets.forget(holder);
    }
  }

  /** Of one that was connected before, all that is known stays. */
  private noteConnected({
    connectionId,
    ownerId,
    accountId,
    exchange,
    limits,
    stepUpKeys,
    portfolioId,
  }: Omit<Extract<SignerRecord, { kind: 'connected' }>, 'kind' | 'atMs'>): void {
    const of = { connectionId, ownerId, accountId, exchange };
    const more = { limits, stepUpKeys, portfolioId };
    this.parts.journal.write({ kind: 'connected', atMs: this.now(), ...of, ...more });
    this.keyReadAtMs.delete(connectionId);
  }

  private async recheck(connectionId: string): Promise<SignerReply<'recheck'>> {
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    const { keys } = connection;
    const report = await readAs(async (): Promise<KeyReport> =>
      checkKey(connection.exchange, await this.adapter(connection), connection.portfolioId),
    );
    if (report.kind !== 'read') return report;
    // What was heard of a key says nothing of the one that took its place.
    if (connection.keys !== keys || this.connectionOf(connectionId) !== connection) return report;
    const { faults, permissions } = report.value;
    const atMs = this.now();
    this.keyReadAtMs.set(connectionId, atMs);
    // A key that is gone is read every ten minutes for as long as its connection is kept.
    const isSaid =
      isDeepStrictEqual([faults, permissions], [connection.faults, connection.permissions]) &&
      atMs >= connection.checkedAtMs &&
      atMs - connection.checkedAtMs < SAME_KEY_MS;
    if (isSaid) return report;
    this.parts.journal.write({ kind: 'checked', atMs, connectionId, faults, permissions });
    if (faults.length > 0)
      this.parts.audit.write(
        'signer',
        'key no longer taken',
        {
          connectionId,
          faults: faults.join(','),
        },
        SPARES,
      );
    return report;
  }

  private disconnect(connectionId: string): SignerReply<'disconnect'> {
    const { journal, audit, keys, secrets } = this.parts;
    if (this.connectionOf(connectionId) === null) {
      // Its connecting may have broken off after the key was kept.
      if (keys.has(connectionId)) keys.remove(connectionId);
      secrets.forget(connectionId);
      return NO_CONNECTION;
    }
    keys.remove(connectionId);
    journal.write({ kind: 'disconnected', atMs: this.now(), connectionId });
    audit.write('server', 'key removed', { connectionId });
    this.adapters.delete(connectionId);
    this.keyReadAtMs.delete(connectionId);
    this.tradeLists.forget(connectionId);
    this.endedLists.forget(connectionId);
    secrets.forget(connectionId);
    return DONE;
  }

  private async setLimits({
    connectionId,
    limits,
    stepUp,
  }: Of<'set_limits'>): Promise<SignerReply<'set_limits'>> {
    const { journal, audit } = this.parts;
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    if (isRaised(connection.limits, limits)) {
      const wanted = { purpose: 'raise_limits', agentId: null, limits } as const;
      const fault = await this.spend(stepUp, () => wanted, connection);
      if (fault !== null) return fault;
    } else if (
      !isSame(connection.limits, limits) &&
      isTooOften(connection.limitsChangedAtMs, connection.limits, limits, this.now())
    )
      return refused('too_many_changes', 'halve a limit, or try again in an hour');
    if (isSame(connection.limits, limits)) return DONE;
    journal.write({ kind: 'limits', atMs: this.now(), connectionId, limits });
    audit.write(
      'server',
      'limits set',
      {
        connectionId,
        maxOrder: formatFixed(limits.maxOrder),
        maxExposure: formatFixed(limits.maxExposure),
        maxDailyLoss: formatFixed(limits.maxDailyLoss),
      },
      SPARES,
    );
    return DONE;
  }

  private async startAgent({
    connectionId,
    stepUp,
  }: Of<'start_agent'>): Promise<SignerReply<'start_agent'>> {
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    const { agentId } = stepUp.statement;
    if (agentId === null) return refused('step_up_invalid', 'no agent is named');
    // Bound to the limits in force: a start agreed to under others does not count.
    const wanted = (): Wanted => ({
      purpose: 'start_agent',
      agentId,
      limits: limitsInForce(connection.limits, connection.connectedAtMs, this.now()),
    });
    const fault = await this.spend(stepUp, wanted, connection);
    if (fault !== null) return fault;
    this.parts.journal.write({
      kind: 'agent',
      atMs: this.now(),
      connectionId,
      agentId,
      started: true,
    });
    this.parts.audit.write('server', 'agent started', { connectionId, agentId }, SPARES);
    return DONE;
  }

  private endAgent({ connectionId, agentId }: Of<'end_agent'>): SignerReply<'end_agent'> {
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    if (!connection.agents.has(agentId)) return DONE;
    this.parts.journal.write({
      kind: 'agent',
      atMs: this.now(),
      connectionId,
      agentId,
      started: false,
    });
    this.parts.audit.write('server', 'agent ended', { connectionId, agentId }, SPARES);
    return DONE;
  }

  /** Checks a token and writes down that it was used, before what it allows is done. */
  private async spend(
    token: Of<'set_limits'>['stepUp'],
    wantedNow: () => Wanted,
    connection: Connection,
  ): Promise<ReturnType<typeof refused> | null> {
    const { journal, passkeys } = this.parts;
    const { connectionId } = connection;
    const signed = token === null ? null : await signedBy(token, connection, passkeys);
    // From here to the end nothing else runs: what is checked is still so when it is written.
    const wanted = wantedNow();
    const isUsed = (nonce: string): boolean => this.ledger.isUsed(nonce);
    const fault =
      token === null
        ? 'step_up_needed'
        : this.connectionOf(connectionId) !== connection
          ? 'step_up_invalid'
          : stepUpFault(token, signed, wanted, connection, isUsed, this.now());
    if (fault !== null || token === null || signed === null) {
      this.refusals.note('step-up refused', { connectionId, purpose: wanted.purpose, fault });
      return refused(fault ?? 'step_up_invalid', wanted.purpose);
    }
    const { nonce } = token.statement;
    journal.write({
      kind: 'step_up',
      atMs: this.now(),
      nonce,
      connectionId,
      keyId: signed.keyId,
      ...(signed.counter === null ? {} : { counter: signed.counter }),
    });
    return null;
  }

  private async place({ intent }: Of<'place'>): Promise<SignerReply<'place'>> {
    const connection = this.connectionOf(intent.connectionId);
    if (connection === null) return NO_CONNECTION;
    return this.underWay.add(
      placeOrder(this.placing, connection, intent),
      () => this.ledger.order(intent.clientOrderId) !== null,
    );
  }

  private async maySell({
    connectionId,
    insteadOf,
    deadlineMs,
  }: Of<'may_sell'>): Promise<SignerReply<'may_sell'>> {
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    const stop = connection.orders.get(insteadOf);
    if (stop?.intent.type !== 'stop')
      return refused('not_ours', 'no stop of this id was sent from here');
    if (this.underWay.isStopping) return refused(STOPPING.code, STOPPING.detail);
    const refusal = await refusalInPlaceOf(this.placing, connection, stop, deadlineMs ?? null);
    return refusal === null ? { kind: 'yes' } : refused(refusal.code, refusal.detail);
  }

  private async writeOff(ask: Of<'write_off'>): Promise<SignerReply<'write_off'>> {
    const { connectionId, isAsked = false, isDust = false } = ask;
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    const { journal, audit } = this.parts;
    const answer = await readAs(async () => {
      const market = await this.market(connection.exchange);
      const parts = { journal, audit, now: () => this.now(), market };
      if (isDust) return leaveDust(parts, connection, { ...ask, isAsked });
      const reading: WritingOff = {
        ...parts,
        adapter: await this.adapter(connection),
        lookUp: (order) => this.lookUp(connectionId, order),
      };
      return writeOff(reading, connection, { ...ask, isAsked });
    });
    if (answer.kind !== 'read') return answer;
    return answer.value === null ? DONE : refused(answer.value.code, answer.value.detail);
  }

  private get placing(): Placing {
    const { journal, audit, reserve, secrets } = this.parts;
    return {
      journal,
      audit,
      reserve,
      refusals: this.refusals,
      secrets,
      now: () => this.now(),
      inFlight: this.inFlight,
      isStopping: () => this.underWay.isStopping,
      market: ({ exchange }) => this.market(exchange),
      adapter: (one) => this.adapter(one),
      lostSales: (one) => this.lostSales.of(one),
      settleDoubts: (one) => {
        this.doubts.settle(one);
      },
    };
  }

  /** From now on no order is begun: what would only be interrupted is refused instead. */
  stop(): void {
    this.underWay.stop();
    this.doubts.stop();
  }

  /** Waits for what is out. */
  async settled(): Promise<void> {
    await Promise.all([this.underWay.settled(), this.doubts.settled()]);
  }

  private async cancel(connectionId: string, order: OrderRef): Promise<CancelOutcome> {
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    // Only orders sent from here: the person's own are theirs.
    const ours = connection.orders.get(order.clientOrderId ?? '');
    if (ours === undefined) return refused('not_ours', 'this order was not sent from here');
    const known = ours.exchangeOrderId;
    if (order.exchangeOrderId !== null && known !== null && order.exchangeOrderId !== known)
      return refused('not_ours', 'the two ids belong to different orders');
    const { clientOrderId } = ours.intent;
    const about = { connectionId, clientOrderId };
    const { audit } = this.parts;
    try {
      const ref = { ...order, exchangeOrderId: known, symbol: ours.intent.symbol };
      const adapter = await this.adapter(connection);
      // No sale could follow.
      if (this.underWay.isStopping) return refused(STOPPING.code, STOPPING.detail);
      // Before it leaves: where the disk takes no line, no sale could follow either.
      if (!isWritten(() => audit.write('server', 'cancel asked', about)))
        return refused(DISK_FULL.code, DISK_FULL.detail);
      const outcome = await adapter.cancel(ref);
      isWritten(() => audit.write('server', `cancel ${outcome.kind}`, about));
      return outcome.kind === 'rejected'
        ? { ...outcome, message: this.parts.secrets.clean(outcome.message).slice(0, 300) }
        : outcome;
    } catch (error) {
      if (error instanceof NotSent) return refused(error.code, 'nothing was sent');
      if (error instanceof ReadFailed) return { kind: 'unknown', cause: error.cause };
      throw error;
    }
  }

  private async lookUp(connectionId: string, order: OrderRef): Promise<SignerReply<'look_up'>> {
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    // Of an order that was sent from here our own record counts: elsewhere, or too late, it would be
    // missed, and its money would be free again.
    const ours = connection.orders.get(order.clientOrderId ?? '');
    const ref: OrderRef =
      ours === undefined
        ? order
        : {
            clientOrderId: ours.intent.clientOrderId,
            exchangeOrderId: order.exchangeOrderId === null ? null : ours.exchangeOrderId,
            symbol: ours.intent.symbol,
            sinceMs: Math.max(0, ours.sentAtMs - CLOCKS_APART_MS),
          };
    try {
      const lookup = await (await this.adapter(connection)).lookUp(ref);
      this.observer.lookup(connection, ref, lookup);
      return lookup.kind === 'found'
        ? { ...lookup, fills: this.observer.named(connection, lookup.fills) }
        : lookup;
    } catch (error) {
      if (error instanceof NotSent) return refused(error.code, 'nothing was sent');
      if (error instanceof ReadFailed) return { kind: 'unknown', cause: error.cause };
      throw error;
    }
  }

  private async read(
    ask: Of<'open_orders'> | Of<'closed_orders'> | Of<'trades'> | Of<'balances'>,
  ): Promise<unknown> {
    const connection = this.connectionOf(ask.connectionId);
    if (connection === null) return NO_CONNECTION;
    const answer = await readAs(async () => {
      const adapter = await this.adapter(connection);
      if (ask.act === 'balances') return adapter.balances();
      const { connectionId } = ask;
      const since = (ms: number): number =>
        Math.max(ms, connection.connectedAtMs - LISTS_BEFORE_MS);
      // The others give the list of all pairs at once, whichever are named.
      const named = connection.exchange === 'binance' ? ask.symbols : [];
      if (ask.act === 'trades') {
        const fills = await this.tradeLists.read(connectionId, since(ask.sinceMs), named, (ms) =>
          adapter.tradesSince(ms, ask.symbols),
        );
        this.observer.fills(connection, fills);
        return this.observer.named(connection, fills);
      }
      const orders =
        ask.act === 'open_orders'
          ? await adapter.openOrders(ask.symbols)
          : await this.endedLists.read(connectionId, since(ask.sinceMs), named, (ms) =>
              adapter.closedOrders(ms, ask.symbols),
            );
      this.observer.orders(connection, orders);
      return orders;
    });
    if (answer.kind === 'unknown' && answer.cause.startsWith('unlisted:'))
      await this.doubtRules(connection.exchange);
    return answer;
  }

  /** A pair that is gone makes lists fail that name it: which ones there are is read again soon. */
  private async doubtRules(exchange: LiveExchange): Promise<void> {
    const waitedMs = this.now() - (this.rulesDoubted.get(exchange) ?? Number.NEGATIVE_INFINITY);
    // Less than nothing where the clock was set back.
    if (waitedMs >= 0 && waitedMs < RULES_DOUBT_MS) return;
    this.rulesDoubted.set(exchange, this.now());
    (await this.market(exchange)).forgetRules();
  }

  private async state(connectionId: string): Promise<SignerReply<'state'>> {
    const connection = this.connectionOf(connectionId);
    if (connection === null) return NO_CONNECTION;
    return readAs(async (): Promise<ConnectionState> => {
      const { limits, connectedAtMs } = connection;
      return {
        connectionId,
        exchange: connection.exchange,
        abilities: (await this.adapter(connection)).abilities,
        connectedAtMs,
        permissionsReadAtMs: this.keyReadAtMs.get(connectionId) ?? connection.checkedAtMs,
        faults: connection.faults,
        permissions: connection.permissions,
        limits,
        limitsInForce: limitsInForce(limits, connectedAtMs, this.now()),
        firstWeekUntilMs: connectedAtMs + FIRST_WEEK_MS,
        exposure: exposureOf(connection),
        ...(await this.lossOf(connection)),
        agentsStarted: [...connection.agents],
        unresolved: unresolvedOf(connection),
      };
    });
  }

  /** The rest of the state is known without the exchange. */
  private async lossOf(
    connection: Connection,
  ): Promise<Pick<ConnectionState, 'lossToday' | 'lossUnread'>> {
    const { journal } = this.parts;
    const market = await this.market(connection.exchange);
    const read = await readAs(() =>
      lossToday({ journal, now: () => this.now() }, connection, market),
    ).catch((error: unknown) => {
      if (!isFull(error)) throw error;
      return refused(DISK_FULL.code, DISK_FULL.detail);
    });
    if (read.kind === 'read') return { lossToday: read.value.amount };
    return { lossToday: null, lossUnread: read.kind === 'unknown' ? read.cause : read.code };
  }

  private connectionOf(connectionId: string): Connection | null {
    const connection = this.ledger.connections.get(connectionId);
    return connection?.connected === true && this.parts.keys.has(connectionId) ? connection : null;
  }

  private async unseal(ask: Of<'check_key'> | Of<'connect'> | Of<'replace_key'>, holder?: string) {
    try {
      return await this.parts.keys.open(ask.sealedKey, ask, holder);
    } catch {
      return refused('cannot_unseal', 'sealed to another key pair, or for another connection');
    }
  }

  private exchange(exchange: LiveExchange): Promise<OpenExchange> {
    const { clock, origins, fetch } = this.parts;
    const open =
      this.exchanges.get(exchange) ??
      openExchange(exchange, {
        origin: origins[exchange] ?? null,
        clock,
        bans: (scope) => this.banRecord(exchange, scope),
        spent: (scope) => this.spentRecord(exchange, scope),
        onUnread: (connectionId) => this.unread.of(connectionId),
        ...(fetch === undefined ? {} : { fetch }),
      });
    this.exchanges.set(exchange, open);
    return open;
  }

  private async market(exchange: LiveExchange): Promise<MarketView> {
    const { data } = await this.exchange(exchange);
    const view = this.markets.get(exchange) ?? new MarketView(data, () => this.now());
    this.markets.set(exchange, view);
    return view;
  }

  /** What an exchange told a process before this one to wait for, it waits for too. */
  private banRecord(exchange: LiveExchange, scope: string): BanRecord {
    const { journal } = this.parts;
    const last = this.ledger.banOf(exchange, scope);
    return {
      untilMs: last?.untilMs ?? 0,
      lengthMs: last === null ? null : last.untilMs - last.atMs,
      note: (untilMs) => {
        // Where the disk is full it holds for this process: what it was told of is an answer all the same.
        isWritten(() => {
          journal.write({ kind: 'ban', atMs: this.now(), exchange, scope, untilMs });
        });
      },
    };
  }

  /** What a process before this one used of an allowance is used. */
  private spentRecord(exchange: LiveExchange, scope: string): SpentRecord {
    return this.parts.spent.record(`${exchange}.${scope}`);
  }

  private async withKey(
    exchange: LiveExchange,
    key: ApiKey,
    connectionId: string | null,
  ): Promise<Adapter> {
    return (await this.exchange(exchange)).withKey(key, connectionId);
  }

  private adapter({ connectionId, exchange }: Connection): Promise<Adapter> {
    const kept = this.adapters.get(connectionId);
    if (kept !== undefined) return kept;
    return this.keepOpen(
      connectionId,
      this.parts.keys.opened(connectionId).then((key) => this.withKey(exchange, key, connectionId)),
    );
  }

  /** From now on, in place of any key before it. */
  private async use(connectionId: string, exchange: LiveExchange, key: ApiKey): Promise<void> {
    const opening = this.withKey(exchange, key, connectionId);
    // Where it fails, the next who asks opens it.
    await this.keepOpen(connectionId, opening).catch(() => undefined);
  }

  private keepOpen(connectionId: string, opening: Promise<Adapter>): Promise<Adapter> {
    this.adapters.set(connectionId, opening);
    opening.catch(() => {
      if (this.adapters.get(connectionId) === opening) this.adapters.delete(connectionId);
    });
    return opening;
  }
}

async function readAs<T>(work: () => Promise<T>) {
  try {
    return { kind: 'read' as const, value: await work() };
  } catch (error) {
    if (error instanceof NotSent) return refused(error.code, 'nothing was sent');
    if (error instanceof ReadFailed) return { kind: 'unknown' as const, cause: error.cause };
    throw error;
  }
}
