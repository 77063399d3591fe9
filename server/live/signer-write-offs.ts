/**
 * The signer keeps a ledger of its own of what was bought: it agrees to a write-off before one is
 * made here, and is told of it after the commit until it has taken it over. Of dust that was left to
 * the person it is told alone.
 */
import { and, asc, eq, isNull } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { parseFixed, type Fixed } from '../../contract/money.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import { liveWriteOffs } from '../db/schema-live.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { hasPassed } from './elapsed.ts';
import type { LiveDeps, SignerPort } from './live-deps.ts';
import type { PacedQuestions } from './paced-questions.ts';
import { SignerTooOld } from './signer-client.ts';
import { checkWriteOff, positionToWriteOff, type WriteOffAsk } from './write-off.ts';

/** How soon a write-off that another process made is told. */
const LOOK_MS = 10_000;
/** What the signer did not take is told again, each time at most so often. */
const AGAIN_MS = 60_000;
/** What kept it from taking dust has passed after so many tries, or lasts: then each wait is doubled. */
const QUICK_TRIES = 10;
const AGAIN_MOST_MS = 4 * 60 * 60_000;
/** Dust waits so long for a write-off of its coin. One whose coins have come back is never taken. */
const DUST_WAITS_MS = 60 * 60_000;

const TOO_OLD = 'too_old';

/** Why the signer would not take it now; null where it would. */
async function askSigner(
  { signer }: Pick<LiveDeps, 'signer'>,
  ask: {
    connectionId: string;
    writeOffId: string;
    symbol: string;
    quantity: Fixed;
    isDust?: boolean;
  },
  isAsked: boolean,
): Promise<string | null> {
  const answer = await signer
    .ask({ act: 'write_off', ...ask, isAsked })
    .catch((error: unknown) => (error instanceof SignerTooOld ? TOO_OLD : null));
  if (answer === null || answer === TOO_OLD) return answer ?? 'unreachable';
  if (answer.kind === 'done') return null;
  return answer.kind === 'refused' ? answer.code : 'unreachable';
}

const SENTENCES: Readonly<Record<string, string>> = {
  [TOO_OLD]: 'The signer of this server must be updated first.',
  not_missing: 'The exchange shows that the account has these coins.',
  busy: 'An order of this coin has just been made or has not ended. Try again in some minutes.',
};

/**
 * Asked before anything is locked, because the signer reads the exchange for it, and only what the
 * transaction would not refuse anyway, as far as is known: all accounts share what may be read there.
 */
export async function signersObjection(
  trading: TradingDeps,
  signer: SignerPort,
  questions: PacedQuestions,
  uid: string,
  ask: WriteOffAsk,
): Promise<Refusal | null> {
  const { db } = trading.database;
  const { position, connection } = await positionToWriteOff(db, uid, ask.positionId);
  // What the rest of the checks say is clearer.
  if (position.closedMarketMs !== null || connection.state !== 'open') return null;
  try {
    await checkWriteOff(db, trading, connection, position, ask);
    const { id: connectionId } = connection;
    const { positionId: writeOffId, quantity } = ask;
    const question = { connectionId, writeOffId, symbol: position.pair, quantity };
    const why = await questions.ask(connectionId, () => askSigner({ signer }, question, true));
    return why === null ? null : objectionOf(why);
  } catch (error) {
    // Told by the command: one that has succeeded before is answered as it was.
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function objectionOf(why: string): Refusal {
  const sentence = SENTENCES[why] ?? 'The exchange cannot be read now. Try again in some minutes.';
  return new Refusal('write_off_refused', `${sentence} Nothing was written off.`);
}

const NEVER = { atMs: Number.NEGATIVE_INFINITY, refusals: 0 };
const waitAfter = (refusals: number): number =>
  Math.min(AGAIN_MOST_MS, AGAIN_MS * 2 ** Math.max(0, refusals - QUICK_TRIES));

export class UntoldWriteOffs {
  private telling: Promise<void> | null = null;
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  private readonly tried = new Map<string, { atMs: number; refusals: number }>();

  constructor(
    private readonly deps: LiveDeps,
    private readonly connectionId: string,
  ) {}

  /** `isNow`: one may just have been made. The sooner it is told, the sooner the coins may come back. */
  tell(isNow = false): Promise<void> {
    this.telling ??= this.tellAll(isNow).finally(() => {
      this.telling = null;
    });
    return this.telling;
  }

  get isTelling(): boolean {
    return this.telling !== null;
  }

  private async tellAll(isNow: boolean): Promise<void> {
    const { database, clock } = this.deps;
    if (!isNow && !hasPassed(this.lookedAtMs, LOOK_MS, clock.now())) return;
    this.lookedAtMs = clock.now();
    const { connectionId } = this;
    // One that knows no dust would take it for coins that are missing.
    const isOther = (this.deps.signer.otherVersion?.() ?? null) !== null;
    const rows = await database.db
      .select()
      .from(liveWriteOffs)
      .where(and(eq(liveWriteOffs.connectionId, connectionId), isNull(liveWriteOffs.signerToldAt)))
      .orderBy(asc(liveWriteOffs.bookedAt), asc(liveWriteOffs.id));
    const isOld = (bookedAt: number): boolean => hasPassed(bookedAt, DUST_WAITS_MS, clock.now());
    const gone = new Set(
      rows
        .filter(({ cause, bookedAt }) => cause === 'written_off' && !isOld(bookedAt))
        .map(({ symbol }) => baseOf(symbol)),
    );
    for (const { id, symbol, quantity, cause } of rows) {
      // Dust is in the account: with it taken off first, less of the coin would seem to be missing.
      const isDust = cause === 'dust_left';
      if (isDust && (isOther || gone.has(baseOf(symbol)))) continue;
      const { atMs, refusals } = this.tried.get(id) ?? NEVER;
      if (!hasPassed(atMs, waitAfter(refusals), clock.now())) continue;
      const ask = { connectionId, writeOffId: id, symbol, quantity: parseFixed(quantity), isDust };
      const why = await askSigner(this.deps, ask, false);
      const isRefusal = isDust && why !== 'unreachable';
      this.tried.set(id, { atMs: clock.now(), refusals: isRefusal ? refusals + 1 : refusals });
      if (why !== null) continue;
      this.tried.delete(id);
      await database.db
        .update(liveWriteOffs)
        .set({ signerToldAt: clock.now() })
        .where(eq(liveWriteOffs.id, id));
    }
  }
}
