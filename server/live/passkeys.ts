/**
 * Passkeys of a person: public keys that a new exchange account may be bound to. The signer checks
 * what they sign; here they are made and kept.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { and, asc, eq, gte, inArray, lt } from 'drizzle-orm';
import type * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import type { Passkey, PasskeyBody } from '../../contract/live.ts';
import type { PasskeyKey, StepUpKey } from '../../contract/signer.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { passkeyChallenges, passkeys } from '../db/schema-live.ts';
import { PASSKEYS_MAX } from '../../contract/limits.ts';

/** Where people open the app, and the domain that their passkeys belong to. */
export interface PasskeySite {
  origin: string;
  rpId: string;
}

export const siteOf = (publicOrigin: string): PasskeySite => ({
  origin: publicOrigin,
  rpId: new URL(publicOrigin).hostname,
});

const CHALLENGE_MS = 5 * 60_000;
const APP_NAME = 'Tradewind';
/** Transports that a library knows; a browser may name others. */
type Transport = NonNullable<RegistrationResponseJSON['response']['transports']>[number];

type Row = typeof passkeys.$inferSelect;

const keyOf = ({ id, credentialId, publicKey, counter, transports }: Row): PasskeyKey => ({
  id,
  kind: 'passkey',
  credentialId,
  publicKey,
  counter,
  transports,
});

const toPasskey = (row: Row): Passkey => ({
  id: row.id,
  label: row.label,
  key: keyOf(row),
  createdAt: row.createdAt,
  lastUsedAt: row.lastUsedAt,
});

const rowsOf = (db: Db, uid: string): Promise<Row[]> =>
  db.select().from(passkeys).where(eq(passkeys.uid, uid)).orderBy(asc(passkeys.createdAt));

export const readPasskeys = async (db: Db, uid: string): Promise<Passkey[]> =>
  (await rowsOf(db, uid)).map(toPasskey);

/** What a browser needs to make one. Those that are there already are not made again. */
export async function passkeyOptions(
  { database, clock }: { database: Database; clock: WallClock },
  { rpId }: PasskeySite,
  { uid, email }: { uid: string; email: string | null },
): Promise<Record<string, unknown>> {
  const known = await rowsOf(database.db, uid);
  if (known.length >= PASSKEYS_MAX)
    throw new Refusal('invalid_request', `At most ${PASSKEYS_MAX} passkeys. Delete one first.`);
  const options = await generateRegistrationOptions({
    rpName: APP_NAME,
    rpID: rpId,
    userName: email ?? 'Tradewind account',
    userDisplayName: email ?? 'Tradewind account',
    // The authenticator keeps it: no name of ours, and the same for all passkeys of one person.
    userID: Uint8Array.from(createHash('sha256').update(uid).digest()),
    attestationType: 'none',
    timeout: CHALLENGE_MS,
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: transports as Transport[],
    })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
  const now = clock.now();
  await database.transaction(async ({ db }) => {
    await db
      .delete(passkeyChallenges)
      .where(
        and(eq(passkeyChallenges.uid, uid), lt(passkeyChallenges.createdAt, now - CHALLENGE_MS)),
      );
    await db
      .insert(passkeyChallenges)
      .values({ challenge: options.challenge, uid, createdAt: now });
  });
  return options as unknown as Record<string, unknown>;
}

const notMade = (): Refusal =>
  new Refusal('invalid_request', 'This passkey could not be checked. Make it again.', {
    field: 'response',
  });

/** The challenge that the browser signed, as it says; whether it is ours is looked up. */
function challengeIn(response: RegistrationResponseJSON): string {
  try {
    const text = Buffer.from(response.response.clientDataJSON, 'base64url').toString('utf8');
    return String((JSON.parse(text) as { challenge?: unknown }).challenge);
  } catch {
    throw notMade();
  }
}

/** @throws Refusal where it is not one that was asked for here a moment ago. */
export async function addPasskey(
  tx: Tx,
  { clock }: { clock: WallClock },
  { origin, rpId }: PasskeySite,
  uid: string,
  { label, response }: z.infer<typeof PasskeyBody>,
): Promise<Passkey> {
  const made = response as unknown as RegistrationResponseJSON;
  const now = clock.now();
  const [asked] = await tx.db
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.challenge, challengeIn(made)),
        eq(passkeyChallenges.uid, uid),
        gte(passkeyChallenges.createdAt, now - CHALLENGE_MS),
      ),
    )
    .returning();
  if (asked === undefined)
    throw new Refusal('invalid_request', 'This took too long. Make the passkey again.', {
      field: 'response',
    });
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: made,
    expectedChallenge: asked.challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  }).catch((): { verified: false; registrationInfo?: never } => ({ verified: false }));
  if (!verified) throw notMade();
  const { credential } = registrationInfo;
  const [row] = await tx.db
    .insert(passkeys)
    .values({
      id: randomUUID(),
      uid,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: (credential.transports ?? []).slice(0, 8),
      label,
      createdAt: now,
      lastUsedAt: null,
    })
    .onConflictDoNothing()
    .returning();
  if (row === undefined)
    throw new Refusal('invalid_request', 'This passkey is kept already.', { field: 'response' });
  return toPasskey(row);
}

export async function deletePasskey(tx: Tx, uid: string, id: string): Promise<void> {
  const gone = await tx.db
    .delete(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.uid, uid)))
    .returning({ id: passkeys.id });
  if (gone.length === 0) throw new Refusal('not_found', 'Passkey not found.');
}

/**
 * A new account is bound to passkeys of this person alone, as they were made here.
 * @throws Refusal where one is unknown.
 */
export async function refuseForeignPasskeys(
  db: Db,
  uid: string,
  keys: readonly StepUpKey[],
): Promise<void> {
  const named = keys.filter((key) => key.kind === 'passkey');
  const own = new Map((await rowsOf(db, uid)).map((row) => [row.credentialId, row]));
  const ids = new Set(keys.map(({ id }) => id));
  const isKnown = named.every((key) => {
    const row = own.get(key.credentialId);
    return row?.id === key.id && row.publicKey === key.publicKey;
  });
  if (!isKnown || ids.size !== keys.length)
    throw new Refusal('invalid_request', 'One of the passkeys is not kept here. Make it first.', {
      field: 'stepUpKeys',
    });
}

/** Once the signer has accepted what one of them signed. */
export async function notePasskeyUse(
  tx: Tx,
  { clock }: { clock: WallClock },
  uid: string,
  keyIds: readonly string[],
): Promise<void> {
  if (keyIds.length > 0)
    await tx.db
      .update(passkeys)
      .set({ lastUsedAt: clock.now() })
      .where(and(eq(passkeys.uid, uid), inArray(passkeys.id, [...keyIds])));
}
