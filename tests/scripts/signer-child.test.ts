/** The signer beside the server that `npm start` runs. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startSigner } from '../../scripts/signer-child.ts';
import { SignerClient } from '../../server/live/signer-client.ts';
import { until } from '../support/until.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('is started again when it was killed, and ends for good when it is told to', async () => {
  const signerDir = join(folder, 'signer');
  const end = startSigner({ PATH: process.env.PATH, SIGNER_DIR: signerDir });
  const hello = async (): Promise<number> => {
    const client = new SignerClient({ kind: 'unix', path: join(signerDir, 'signer.sock') });
    const { version } = await client.ask({ act: 'hello', version: 1 });
    client.close();
    return version;
  };
  const pid = (): number => Number(readFileSync(join(signerDir, 'signer.lock'), 'utf8'));
  expect(await until(hello, (version) => version > 0)).toBe(1);
  const first = pid();
  process.kill(first, 'SIGKILL');
  await until(hello, () => pid() !== first);
  end();
  await until(
    () => Promise.resolve(existsSync(join(signerDir, 'signer.lock'))),
    (isThere) => !isThere,
  );
});

it('is not started where live trading is off, or it runs on a machine of its own', () => {
  startSigner({ LIVE_TRADING: 'false', SIGNER_DIR: join(folder, 'off') })();
  const tls = { SIGNER_TLS_CERT: 'c', SIGNER_TLS_KEY: 'k', SIGNER_TLS_CA: 'a' };
  startSigner({ ...tls, SIGNER_ADDRESS: 'signer:9443', SIGNER_DIR: join(folder, 'off') })();
  expect(existsSync(join(folder, 'off'))).toBe(false);
});
