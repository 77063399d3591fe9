/** A signer of another version than the server was built for: nothing is bought, and all is sold. */
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { SIGNER_VERSION } from '../../../contract/signer.ts';
import { agents } from '../../../server/db/schema.ts';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { WatchedSigner } from '../../../server/live/signer-clock.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

/** Lets the signer say that it is of another version. */
function otherwise({ deps }: LiveWorld) {
  const { signer, clock } = deps;
  const state = { version: SIGNER_VERSION };
  const lines: string[] = [];
  deps.signer = new WatchedSigner(
    {
      ask: async (ask) => {
        const reply = await signer.ask(ask);
        return ask.act === 'hello' ? { ...reply, version: state.version } : reply;
      },
    },
    clock,
    { warn: (_about, text) => lines.push(text) },
  );
  return { state, lines };
}

const sides = ({ standIn }: LiveWorld): string[] =>
  standIn.journal
    .orders({ by: 'api' })
    .filter(({ accepted }) => accepted.type !== 'stop-limit')
    .map(({ accepted }) => accepted.side);

describe.each([
  ['older', SIGNER_VERSION - 1],
  ['newer', SIGNER_VERSION + 1],
])('a signer that is %s', (_which, version) => {
  it('buys nothing, sells, and buys again once both are of one version', async () => {
    const one = await openLiveWorld();
    world = one;
    const { state, lines } = otherwise(one);
    const { db } = one.floor.database;
    await one.look();
    await one.startAgent();
    const [agent] = await db.select().from(agents);
    const buy = async (tickId: string): Promise<void> => {
      await decideTrade(one.deps, one.desk, {
        connectionId: one.connection.id,
        agentId: agent?.id ?? '',
        symbol: one.pair,
        budget: 60,
        tickId,
      });
      await settle(one, 20);
    };
    await buy('before');
    expect(sides(one)).toEqual(['buy']);
    const [position] = (await account(one)).positions;
    state.version = version;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await settle(one, 20);
    expect(sides(one)).toEqual(['buy', 'sell']);
    expect(lines.filter((line) => line.includes('version'))).toHaveLength(1);
    await buy('known');
    expect(sides(one)).toEqual(['buy', 'sell']);
    expect(one.desk.entriesOff(one.connection.id)).toContain('different versions');
    state.version = SIGNER_VERSION;
    await one.deps.signer.ask({ act: 'hello', version: SIGNER_VERSION });
    // Found out as the order is about to leave.
    state.version = version;
    await buy('unknown yet');
    await settle(one, 20);
    expect(sides(one)).toEqual(['buy', 'sell']);
    // An agent owes itself a purchase that ended so, and none that was taken back.
    const [ended] = await db.select().from(liveOrders).where(eq(liveOrders.tickId, 'unknown yet'));
    expect(ended).toMatchObject({ state: 'expired', ending: 'unsent', cancel: null });
    state.version = SIGNER_VERSION;
    await one.deps.signer.ask({ act: 'hello', version: SIGNER_VERSION });
    await buy('after');
    expect(sides(one)).toEqual(['buy', 'sell', 'buy']);
    expect(await one.problems()).toEqual([]);
  }, 60_000);
});
