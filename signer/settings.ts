/** The signer's environment, read once. */
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { LiveExchange } from '../contract/signer.ts';
import type { Listen } from './socket.ts';
import type { PasskeySite } from './step-up.ts';

const Port = z.coerce.number().check(z.int(), z.gte(0), z.lte(65_535));

export interface SignerSettings {
  folder: string;
  listen: Listen;
  origins: Partial<Record<LiveExchange, string>>;
  passkeys: PasskeySite;
}

/** The operator must set this right; the message names the variable. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

type Source = Readonly<Record<string, string | undefined>>;

function listenOf(source: Source, folder: string): Listen {
  const tls = source.SIGNER_LISTEN;
  if (tls === undefined || tls === '') return { kind: 'unix', path: join(folder, 'signer.sock') };
  const [, host = '', portText = ''] = /^(.+):(\d+)$/.exec(tls) ?? [];
  const port = Port.safeParse(portText);
  if (host === '' || portText === '' || !port.success)
    throw new SettingError('SIGNER_LISTEN: must be a host and a port such as 10.0.0.5:9443');
  const file = (name: string): string => {
    const path = source[name];
    if (path === undefined || path === '')
      throw new SettingError(`${name}: a file is needed with SIGNER_LISTEN`);
    return path;
  };
  return {
    kind: 'tls',
    host,
    port: port.data,
    cert: file('SIGNER_TLS_CERT'),
    key: file('SIGNER_TLS_KEY'),
    ca: file('SIGNER_TLS_CA'),
  };
}

/** An exchange's address replaced, for a testnet or a test: `SIGNER_ORIGIN_KRAKEN` and so on. */
function originsOf(source: Source): SignerSettings['origins'] {
  const origins: SignerSettings['origins'] = {};
  for (const exchange of LiveExchange.options) {
    const name = `SIGNER_ORIGIN_${exchange.toUpperCase()}`;
    const origin = source[name];
    if (origin === undefined || origin === '') continue;
    const url = URL.canParse(origin) ? new URL(origin) : null;
    const isLocal = url?.hostname === '127.0.0.1' || url?.hostname === 'localhost';
    if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)))
      throw new SettingError(`${name}: must be an https address, or http on this machine`);
    origins[exchange] = url.origin;
  }
  return origins;
}

/**
 * Where the app is opened: `SIGNER_PASSKEY_ORIGINS`, and the domain that passkeys belong to,
 * `SIGNER_PASSKEY_RP_ID`, by default the first origin's host. Without them no passkey counts.
 */
function passkeysOf(source: Source): PasskeySite {
  const name = 'SIGNER_PASSKEY_ORIGINS';
  const origins = (source[name] ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      if (url === null || url.origin !== text || !/^https?:$/.test(url.protocol))
        throw new SettingError(`${name}: origins such as https://trade.example.com`);
      return { origin: url.origin, host: url.hostname };
    });
  const given = source.SIGNER_PASSKEY_RP_ID ?? '';
  const rpId = given === '' ? (origins[0]?.host ?? '') : given;
  if (origins.some(({ host }) => host !== rpId && !host.endsWith(`.${rpId}`)))
    throw new SettingError('SIGNER_PASSKEY_RP_ID: must be the domain of every origin');
  return { rpId, origins: origins.map(({ origin }) => origin) };
}

/** @throws SettingError naming the variable at fault. */
export function readSettings(source: Source): SignerSettings {
  const dataDir =
    source.DATA_DIR === undefined || source.DATA_DIR === '' ? '.data' : source.DATA_DIR;
  const given = source.SIGNER_DIR;
  // Beside the data folder: a copy of the data takes no keys along.
  const folder = resolve(
    given === undefined || given === '' ? `${resolve(dataDir)}-signer` : given,
  );
  return {
    folder,
    listen: listenOf(source, folder),
    origins: originsOf(source),
    passkeys: passkeysOf(source),
  };
}
