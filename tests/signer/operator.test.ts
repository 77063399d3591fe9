/** What the operator sets and asks: settings, commands, and a signer on a machine of its own. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signerEnvironment } from '../../scripts/signer-child.ts';
import { readConfig } from '../../server/config.ts';
import { SignerClient } from '../../server/live/signer-client.ts';
import { runCommand } from '../../signer/commands.ts';
import { openSigner, openStore } from '../../signer/open-signer.ts';
import { Secrets } from '../../signer/secrets.ts';
import { readSettings, SettingError } from '../../signer/settings.ts';
import { testCertificate } from '../support/certificate.ts';
import { openDeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('settings', () => {
  it('put server and signer at the same socket, outside the data folder', () => {
    const environments: Record<string, string>[] = [
      {},
      { DATA_DIR: '/somewhere/data' },
      { SIGNER_DIR: '/elsewhere/signer' },
    ];
    for (const env of environments) {
      const { listen, folder: own } = readSettings(env);
      expect(readConfig(env).signer).toEqual(listen);
      expect(own.startsWith(`${resolve(env.DATA_DIR ?? '.data')}/`)).toBe(false);
    }
    expect(readConfig({ LIVE_TRADING: 'false' }).signer).toBeNull();
  });

  it('name what is missing or wrong', () => {
    expect(() => readSettings({ SIGNER_LISTEN: 'here' })).toThrow(SettingError);
    expect(() => readSettings({ SIGNER_LISTEN: '10.0.0.5:9443' })).toThrow(/SIGNER_TLS_CERT/);
    expect(() => readSettings({ SIGNER_ORIGIN_KRAKEN: 'http://example.com' })).toThrow(
      /SIGNER_ORIGIN_KRAKEN/,
    );
    expect(
      readSettings({ SIGNER_ORIGIN_BINANCE: 'https://testnet.binance.vision/' }).origins,
    ).toEqual({ binance: 'https://testnet.binance.vision' });
    expect(() => readConfig({ SIGNER_ADDRESS: 'signer:9443' })).toThrow(/SIGNER_TLS_CERT/);
  });

  it('hand on none of the server’s secrets', () => {
    const env = { PATH: '/bin', SIGNER_DIR: '/s', STRIPE_SECRET_KEY: 'x', DATABASE_URL: 'y' };
    expect(signerEnvironment(env, 'http://localhost:8787')).toEqual({
      PATH: '/bin',
      SIGNER_DIR: '/s',
      SIGNER_PASSKEY_ORIGINS: 'http://localhost:8787',
    });
  });

  it('say for whom passkeys are', () => {
    const origins = 'https://trade.example.com, https://app.trade.example.com';
    expect(readSettings({ SIGNER_PASSKEY_ORIGINS: origins }).passkeys).toEqual({
      rpId: 'trade.example.com',
      origins: ['https://trade.example.com', 'https://app.trade.example.com'],
    });
    expect(readSettings({}).passkeys).toEqual({ rpId: '', origins: [] });
    expect(() => readSettings({ SIGNER_PASSKEY_ORIGINS: 'trade.example.com' })).toThrow(
      /SIGNER_PASSKEY_ORIGINS/,
    );
    expect(() =>
      readSettings({
        SIGNER_PASSKEY_ORIGINS: 'https://trade.example.com',
        SIGNER_PASSKEY_RP_ID: 'other.example.com',
      }),
    ).toThrow(/SIGNER_PASSKEY_RP_ID/);
    // What the operator has set counts; the server's own origin is only the default.
    const env = { SIGNER_PASSKEY_ORIGINS: 'https://trade.example.com' };
    expect(signerEnvironment(env, 'http://localhost:8787')).toEqual(env);
  });
});

describe('the operator', () => {
  it('changes the pair of keys, enrols, removes, and reads what was done', async () => {
    const world = await openDeskWorld({
      key: KRAKEN_KEY,
      answers: (clock) => krakenAnswers({}, () => clock.now()),
      folder,
    });
    await world.connect();
    await expect(runCommand(['rotate'], folder, () => undefined)).rejects.toThrow(/Another signer/);
    await world.close();
    const said: string[] = [];
    const run = (...args: string[]) => runCommand(args, folder, (line) => said.push(line));
    await run('rotate');
    expect(said.at(-1)).toMatch(/^1 keys are sealed to box-/);
    const { publicKey } = generateKeyPairSync('ed25519');
    await run('enrol', 'connection-1', publicKey.export({ format: 'jwk' }).x ?? '');
    await run('remove', 'connection-1');
    expect(readdirSync(join(folder, 'keys'))).toEqual([]);
    await expect(run('remove', 'nobody')).rejects.toThrow('No such connection');
    await expect(run('withdraw')).rejects.toThrow(/npm run signer/);
    await run('audit');
    expect(said.at(-1)).toBe('4 entries, unchanged');
    const { keys, journal, close } = await openStore(folder, Date.now, new Secrets());
    expect(keys.has('connection-1')).toBe(false);
    expect(journal.ledger.connections.get('connection-1')?.stepUpKeys).toHaveLength(1);
    close();
  });
});

describe('a signer on a machine of its own', () => {
  it('answers the server’s certificate and no other', async () => {
    const [ofSigner, ofServer, ofStranger] = [
      testCertificate(),
      testCertificate(),
      testCertificate(),
    ];
    const file = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    const ca = file('signer-ca.pem', ofServer.cert);
    const signer = await openSigner(
      {
        folder: join(folder, 'signer'),
        listen: {
          kind: 'tls',
          host: '127.0.0.1',
          port: 0,
          cert: file('signer.pem', ofSigner.cert),
          key: file('signer.key', ofSigner.key),
          ca,
        },
        origins: {},
        passkeys: { rpId: '', origins: [] },
      },
      () => undefined,
    );
    const clientOf = (own: { cert: string; key: string }, trusts: string) =>
      new SignerClient({
        kind: 'tls',
        host: '127.0.0.1',
        port: signer.port ?? 0,
        cert: file('own.pem', own.cert),
        key: file('own.key', own.key),
        ca: file('trusts.pem', trusts),
      });
    const hello = { act: 'hello', version: 1 } as const;
    const server = clientOf(ofServer, ofSigner.cert);
    await expect(server.ask(hello)).resolves.toMatchObject({ version: 1 });
    server.close();
    const stranger = clientOf(ofStranger, ofSigner.cert);
    await expect(stranger.ask(hello)).rejects.toThrow();
    // Nor does the server speak to a signer that it does not know.
    const misled = clientOf(ofServer, ofStranger.cert);
    await expect(misled.ask(hello)).rejects.toThrow();
    await signer.close();
  });
});
