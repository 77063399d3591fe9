/** The private PostgreSQL of the tests ends with whoever started it. */
import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { postgresBinaries } from './postgres.ts';

const STARTS = `
  import { startPostgres, WITHOUT_SYNC } from ${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)};
  const one = await startPostgres(WITHOUT_SYNC);
  process.stdout.write(one.url + '\\n');
  setInterval(() => undefined, 1_000);
`;

it.skipIf(postgresBinaries() === null)(
  'leaves nothing behind when a signal ends the run that started it',
  async () => {
    const tsx = import.meta.resolve('tsx');
    const child = spawn(
      process.execPath,
      ['--import', tsx, '--input-type=module', '--eval', STARTS],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (text: Buffer) => {
        resolve(text.toString().trim());
      });
    });
    const { port } = new URL(url);
    const ended = new Promise<string | null>((resolve) => {
      child.once('close', (_code, signal) => {
        resolve(signal);
      });
    });
    child.kill('SIGTERM');
    expect(await ended).toBe('SIGTERM');
    const listens = async (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        (error: unknown) => !String((error as { cause?: unknown }).cause).includes('ECONNREFUSED'),
      );
    await expect.poll(listens, { timeout: 10_000 }).toBe(false);
  },
  60_000,
);
