/**
 * A hostile person at every call about agents and money: no paper agent, and no agent whose start
 * was not confirmed, ever comes to ask the signer for an order.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { and, eq, isNotNull, isNull, ne } from 'drizzle-orm';
import { CALLS, type CallName } from '../../../contract/calls.ts';
import type { SignerAsk } from '../../../contract/signer.ts';
import { agents } from '../../../server/db/schema.ts';
import { liveConnections, liveOrders } from '../../../server/db/schema-live.ts';
import { beginProof, keepResult } from '../../../scripts/proof/result.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';
import { MadeUp } from '../../support/live/made-up.ts';
import { random } from '../../support/tape.ts';

/** `npm run test:live-attacks` makes ten thousand. One that fails is replayed by ATTACK_SEED. */
const ATTEMPTS = Number(process.env.LIVE_ATTACKS ?? '90');
const SEED = Number(process.env.ATTACK_SEED ?? '1');
const IS_PROOF = process.env.LIVE_ATTACKS !== undefined;
const MALLORY = 'mallory';
/** Attempts between two closes of a candle: a close takes as long as a hundred of them. */
const PER_TICK = ATTEMPTS > 1_000 ? 100 : 25;

/** By these a person turns off their own live trading: nothing would be left to reach. */
const ENDS_IT: readonly string[] = ['endLiveTrading', 'removeConnection', 'updateTradingSettings'];

const HANDLED = (Object.keys(CALLS) as CallName[]).filter(
  (name) =>
    !ENDS_IT.includes(name) &&
    /agent|live|portfolio|trading|pool|reconfigure/i.test(CALLS[name].path),
);

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

interface Attack {
  world: LiveWorld;
  /** Agents that were asked an order for, by whoever asked. */
  placedFor: string[];
  /** Started with a confirmation of the person's. */
  confirmed: Set<string>;
  spent: unknown[];
}

const PAPER = {
  risk_profile: 'Aggressive',
  max_position_size: 5_000,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'momentum_24h',
  trading_frequency: 'high',
} as const;

async function open(): Promise<Attack> {
  world = await openLiveWorld();
  const { floor, deps, pair } = world;
  const placedFor: string[] = [];
  const spent: unknown[] = [];
  const { signer } = deps;
  const ask = signer.ask.bind(signer);
  const heard = (question: SignerAsk): void => {
    if (question.act === 'place') placedFor.push(question.intent.agentId);
  };
  Object.assign(signer, {
    ask: (question: SignerAsk) => {
      heard(question);
      return ask(question as never);
    },
  });
  await floor.join(MALLORY);
  for (const [uid, name] of [
    [PERSON, 'Mine on paper'],
    [MALLORY, 'Theirs on paper'],
  ] as const)
    await floor.call(uid, 'createAgent', {
      body: { ...PAPER, name, trading_pairs: [pair] },
    });
  // What passes over the wire once can be sent again.
  const call = floor.call.bind(floor);
  Object.assign(floor, {
    call: (uid: string, name: CallName, more?: { body?: { stepUp?: unknown } }) => {
      if (name === 'startLiveAgent') spent.push(more?.body?.stepUp);
      return call(uid, name, more as never);
    },
  });
  const live = await world.startAgent();
  return { world, placedFor, spent, confirmed: new Set([live]) };
}

/** Every uuid in a reply is about from now on. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const IDS_KEPT = 200;

function learn(ids: string[], reply: unknown): void {
  const text = JSON.stringify(reply) as string | undefined;
  for (const id of text?.match(UUID) ?? []) if (!ids.includes(id)) ids.push(id);
  if (ids.length > IDS_KEPT) ids.splice(0, ids.length - IDS_KEPT);
}

class Hostile {
  readonly answered = new Map<string, number>();
  private readonly made: MadeUp;
  private lastKey: string | undefined;

  constructor(
    private readonly attack: Attack,
    roll: () => number,
  ) {
    const { connection } = attack.world;
    this.made = new MadeUp(
      roll,
      [connection.id, connection.accountId, ...attack.confirmed],
      [{ keys: ['statement', 'signature'], value: () => this.confirmation() }],
    );
  }

  /** One that was used, as it was or changed to mean another agent or account. */
  private confirmation(): unknown {
    const { made } = this;
    const token = made.one(this.attack.spent) as { statement: Record<string, unknown> };
    if (made.chance(0.3)) return token;
    const field = made.one(['agentId', 'connectionId', 'accountId', 'nonce']);
    return { ...token, statement: { ...token.statement, [field]: made.one(made.ids) } };
  }

  async attempt(): Promise<void> {
    const { made } = this;
    const { floor, connection } = this.attack.world;
    const uid = made.one([PERSON, MALLORY]);
    const name = made.one(HANDLED);
    const body = made.value(CALLS[name].body) as Record<string, unknown>;
    const params = { id: made.one(made.ids) };
    // Lower limits and no purchases would hide what gets through.
    if (name === 'setLiveLimits' && uid === PERSON && params.id === connection.id) return;
    const key = made.chance(0.05) ? this.lastKey : undefined;
    try {
      const reply = await floor.call(uid, name, {
        body: body as never,
        params: params as never,
        ...(key === undefined ? {} : { key }),
      });
      learn(made.ids, reply);
      this.answered.set(name, (this.answered.get(name) ?? 0) + 1);
    } catch (error) {
      learn(made.ids, String(error));
    }
    this.lastKey = made.chance(0.5) ? crypto.randomUUID() : this.lastKey;
  }
}

/** Live rows of agents that are on paper or another's, by the database. */
async function astray({ floor }: LiveWorld): Promise<string[]> {
  const { db } = floor.database;
  const foreign = await db
    .select({ id: agents.id })
    .from(agents)
    .innerJoin(liveConnections, eq(liveConnections.id, agents.connectionId))
    .where(ne(agents.uid, liveConnections.uid));
  const paper = await db
    .select({ id: liveOrders.agentId })
    .from(liveOrders)
    .innerJoin(agents, eq(agents.id, liveOrders.agentId))
    .where(isNull(agents.connectionId));
  return [...foreign, ...paper].map(({ id }) => id);
}

const strangers = ({ placedFor, confirmed }: Attack): string[] =>
  placedFor.filter((id) => !confirmed.has(id));

describe(`${ATTEMPTS} attempts at the API`, () => {
  it('bring no paper agent, and none that nobody confirmed, to the key', async () => {
    const startedAt = Date.now();
    if (IS_PROOF) beginProof('live-attacks');
    const attack = await open();
    const { world: one, placedFor } = attack;
    await one.tickUntil(() => placedFor.length > 0);
    const hostile = new Hostile(attack, random(SEED));
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      await hostile.attempt();
      if (attempt % PER_TICK !== 0) continue;
      await one.look();
      await one.tick();
      await one.look();
      expect(strangers(attack)).toEqual([]);
    }
    expect(await astray(one)).toEqual([]);
    // It was no search if nothing was let in.
    const letIn = [...hostile.answered.values()].reduce((a, b) => a + b, 0);
    expect(letIn).toBeGreaterThan(ATTEMPTS / 10);
    if (!IS_PROOF) return;
    keepResult({
      part: 'live-attacks',
      command: `LIVE_ATTACKS=${ATTEMPTS} ATTACK_SEED=${SEED} npm run test:live-attacks`,
      ok: true,
      seed: SEED,
      seconds: (Date.now() - startedAt) / 1_000,
      figures: {
        'attempts at the API': ATTEMPTS,
        'let in as what a person may do': letIn,
        'orders asked for by an agent on paper, or one that nobody confirmed':
          strangers(attack).length,
        'orders that agents with a confirmation asked for meanwhile': placedFor.length,
      },
    });
  }, 3_600_000);

  it('would find a paper agent that a fault let through, which the signer then refuses', async () => {
    const attack = await open();
    const { world: one, placedFor } = attack;
    const { db } = one.floor.database;
    // The fault: the row of a paper agent names the exchange account.
    const [paper] = await db
      .select({ id: agents.id })
      .from(agents)
      .where(and(eq(agents.uid, PERSON), isNull(agents.connectionId)));
    await db.update(agents).set({ status: 'stopped' }).where(isNotNull(agents.connectionId));
    await db
      .update(agents)
      .set({ connectionId: one.connection.id })
      .where(eq(agents.id, paper?.id ?? ''));
    await one.tickUntil(() => strangers(attack).length > 0);
    await one.look();
    expect(placedFor).toContain(paper?.id);
    expect(one.standIn.journal.of('accepted')).toEqual([]);
  });
});
