/** A person's brakes on an exchange account: what their pages are told of them. */
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CallBody } from '../../../contract/calls.ts';
import { StreamEvent } from '../../../contract/stream.ts';
import { events } from '../../../server/db/schema.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
}, 60_000);
afterEach(async () => {
  world.interfere(null);
  await world.close();
});

const db = () => world.floor.database.db;
const setBrakes = (body: CallBody<'setLiveLimits'>) =>
  world.floor.call(PERSON, 'setLiveLimits', { params: { id: world.connection.id }, body });
/** What the person's pages were told of the account, oldest first. */
const told = async () =>
  (await db().select().from(events).where(eq(events.uid, PERSON)).orderBy(events.sequence))
    .map(({ payload }) => StreamEvent.parse(payload))
    .flatMap((event) => (event.type === 'live_connection' ? [event.connection] : []));

it('a comparison that began before the brakes tells them as they are', async () => {
  await world.look();
  await world.advance(300_000);
  let release: (value: null) => void = () => undefined;
  const held = new Promise<null>((resolve) => {
    release = resolve;
  });
  let isAsked = false;
  world.interfere((act) => {
    if (act !== 'balances') return null;
    isAsked = true;
    return held;
  });
  const looked = world.look();
  await expect.poll(() => isAsked, { timeout: 20_000 }).toBe(true);
  await setBrakes({ entriesAllowed: false });
  const before = (await told()).length;
  release(null);
  await looked;
  const all = await told();
  // One of the comparison itself, after that of the brakes.
  expect(all.length).toBeGreaterThan(before);
  expect(all.at(-1)?.entriesOffSince).not.toBeNull();
}, 60_000);
