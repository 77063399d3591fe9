/** Whether a checkout was completed, for a page that an address has called finished. */
import { and, desc, eq, gt } from 'drizzle-orm';
import type { CheckoutStateReply } from '../../contract/subscription.ts';
import { checkouts } from '../db/schema-plans.ts';
import type { Payments } from './payments.ts';
import { UNFINISHED, type CheckoutDeps, type CheckoutRow } from './open-checkout.ts';

type State = CheckoutStateReply['state'];

/** Stripe's sessions end after a day. */
const LATELY_MS = 24 * 60 * 60_000;
/** Each costs a question to the provider. */
const ASKED_MOST = 5;

/** The best that can be said of them comes first: another tab may have paid for an earlier one. */
const FIRST_OF = ['complete', 'open', 'expired'] as const satisfies readonly State[];

/** A page asks every two seconds and less: whoever asks more often hears the same. */
const FRESH_MS = 2_000;
/** Checkouts whose state is remembered, of everybody. */
const KEEP_MAX = 5_000;

type Deps = Pick<CheckoutDeps, 'clock' | 'database' | 'payments'>;
type AskProvider = NonNullable<Payments['checkoutState']>;

interface Heard {
  state: ReturnType<AskProvider>;
  at: number;
  /** What was paid or is over stays so. */
  isOver: boolean;
}

/** The provider's answers of late: each is one question, however many wait for it. */
class HeardStates {
  private readonly heard = new Map<string, Heard>();

  constructor(
    private readonly ask: AskProvider,
    private readonly clock: CheckoutDeps['clock'],
  ) {}

  of(sessionId: string): ReturnType<AskProvider> {
    const known = this.heard.get(sessionId);
    if (known !== undefined && (known.isOver || this.clock.now() - known.at < FRESH_MS))
      return known.state;
    const next: Heard = { state: this.ask(sessionId), at: this.clock.now(), isOver: false };
    this.heard.delete(sessionId);
    this.heard.set(sessionId, next);
    const [oldest] = this.heard.keys();
    if (this.heard.size > KEEP_MAX && oldest !== undefined) this.heard.delete(oldest);
    next.state.then(
      (state) => {
        next.isOver = state !== 'open';
      },
      () => {
        if (this.heard.get(sessionId) === next) this.heard.delete(sessionId);
      },
    );
    return next.state;
  }
}

const ofRow = ({ state }: CheckoutRow): State => {
  if (state === 'complete') return 'complete';
  return UNFINISHED.some((one) => one === state) ? 'open' : 'expired';
};

/**
 * The provider sends a person back to the same address whether they paid, gave up or were refused at
 * their bank, and its webhook may be late: it is asked.
 */
export function checkoutStates({
  clock,
  database,
  payments,
}: Deps): (uid: string) => Promise<State> {
  const { checkoutState } = payments;
  const heard = checkoutState === null ? null : new HeardStates(checkoutState, clock);
  return async (uid) => {
    const rows = await database.db
      .select()
      .from(checkouts)
      .where(and(eq(checkouts.uid, uid), gt(checkouts.createdAt, clock.now() - LATELY_MS)))
      .orderBy(desc(checkouts.createdAt))
      .limit(ASKED_MOST);
    const states = await Promise.all(
      rows.map(async (row) =>
        heard === null || row.sessionId === null || row.state === 'complete'
          ? ofRow(row)
          : heard.of(row.sessionId),
      ),
    );
    return FIRST_OF.find((state) => states.includes(state)) ?? 'none';
  };
}
