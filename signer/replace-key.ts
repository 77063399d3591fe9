/**
 * Keeps a new key in place of the one of a connection: by the person's word for this very key, and
 * only one of the same account at the exchange. What was bought, every limit and the first week
 * stay. Until the new key is kept the old one is.
 */
import { createHash } from 'node:crypto';
import { keyDigestBytes, type ApiKey, type KeyReport, type SealedKey } from '../contract/signer.ts';
import type { AuditLog } from './audit-log.ts';
import { checkKey } from './check-key.ts';
import { isWritten } from './disk.ts';
import type { Adapter } from './exchanges/adapter.ts';
import type { KeyStore } from './key-store.ts';
import type { Connection } from './ledger.ts';
import { accountFault } from './same-account.ts';

export interface NewKey {
  audit: AuditLog;
  keys: KeyStore;
  adapter: Adapter;
  sealedKey: SealedKey;
}

interface Steps<R> {
  /** Uses up the person's confirmation; a refusal where it does not count. */
  spend: () => Promise<R | null>;
  /** A refusal where the connection was removed meanwhile. */
  gone: () => R | null;
  /** Writes down that the new key is kept. */
  note: () => void;
  /** Uses it from now on. */
  taken: () => void;
}

export const keyDigest = ({ apiKey }: Pick<ApiKey, 'apiKey'>): string =>
  createHash('sha256').update(keyDigestBytes(apiKey)).digest('base64url');

/** Its rights, and whose account it is. Balances of another account are nobody's business here. */
async function judge(adapter: Adapter, connection: Connection): Promise<KeyReport> {
  const report = await checkKey(connection.exchange, adapter, connection.portfolioId);
  if (!report.accepted) return report;
  const fault = await accountFault(adapter, connection);
  return fault === null ? report : { ...report, accepted: false, faults: [fault], balances: [] };
}

/**
 * The exchange is asked first: a key that is not taken uses up no confirmation. `ReadFailed` and
 * `NotSent` pass through: without the exchange's word no key is replaced.
 */
export async function replaceKey<R>(
  { audit, keys, adapter, sealedKey }: NewKey,
  connection: Connection,
  { spend, gone, note, taken }: Steps<R>,
): Promise<KeyReport | R> {
  const { connectionId } = connection;
  const report = await judge(adapter, connection);
  if (!report.accepted) {
    const faults = report.faults.join(',');
    audit.write('server', 'new key not taken', { connectionId, faults }, true);
    return report;
  }
  const refusal = (await spend()) ?? gone();
  if (refusal !== null) return refusal;
  keys.keepWith(sealedKey, connection, connection.keys + 1, note);
  // It is kept from here on, whatever the disk takes besides.
  taken();
  isWritten(() => audit.write('server', 'key replaced', { connectionId }, true));
  return report;
}
