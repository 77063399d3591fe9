/**
 * The operator's switch as a command, beside a running server and whatever else is set wrongly:
 * thrown, listed, lifted, and a plain sentence for what names nothing.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import type { Database } from '../../server/db/database.ts';
import { halts } from '../../server/db/schema-support.ts';
import { haltsInForce } from '../../server/agents/trading-halts.ts';
import { openOperatorSocket, operatorSocket } from '../../server/support/operator-socket.ts';
import { silentLog } from '../support/app.ts';
import { openEmptyDatabase } from '../support/empty-database.ts';

let folder = '';
let database: Database;
let close: () => Promise<void> = () => Promise.resolve();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-halt-'));
  database = await openEmptyDatabase();
  close = await openOperatorSocket(folder, database, systemClock, silentLog);
});
afterAll(async () => {
  await close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]): Promise<{ code: number | null; out: string; err: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/halt.ts', ...args], {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        PORT: 'none',
        DATA_DIR: folder,
        DATABASE_URL: '',
      },
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      out += piece;
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      err += piece;
    });
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });

/** Asks the socket with a body that comes in pieces of a few bytes. */
const askInPieces = (ask: unknown, size: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath: operatorSocket(folder), method: 'POST' }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => {
          text += piece;
        })
        .on('end', () => {
          resolve(text);
        });
    }).on('error', reject);
    const body = Buffer.from(JSON.stringify(ask));
    void (async () => {
      for (let from = 0; from < body.length; from += size) {
        await new Promise((done) => {
          sent.write(body.subarray(from, from + size), done);
        });
        await new Promise((done) => {
          setImmediate(done);
        });
      }
      sent.end();
    })();
  });

describe('npm run halt', () => {
  it('keeps a reason letter by letter however its bytes arrive', async () => {
    const reason = 'Kurse fehlen — später: ждите';
    const told = JSON.parse(
      await askInPieces(
        { act: 'halt', scope: 'platform', target: '', reason, until: null, by: 'ann' },
        1,
      ),
    ) as { reply: { reason: string }[] };
    expect(told.reply[0]?.reason).toBe(reason);
    await database.db.delete(halts);
  });

  it('throws, lists and lifts a switch in the running server, with who, when, why and until when', async () => {
    const thrown = await run(
      '--platform',
      '--reason',
      'Prices are\u001b[2J odd',
      '--until',
      '2199-01-31T18:00Z',
      '--by',
      'ann',
    );
    expect(thrown).toMatchObject({ code: 0, err: '' });
    expect(thrown.out).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}off {2}everything, until 2199-01-31 18:00 UTC, by ann: Prices are \[2J odd\n$/,
    );
    expect(await haltsInForce(database.db, 'any', [], [], systemClock.now())).toMatchObject([
      { scope: 'platform', by: 'ann' },
    ]);
    expect((await run('--list')).out).toBe(thrown.out);
    expect((await run('--lift', '--platform', '--by', 'ben')).out).toMatch(
      /on {3}everything, by ben\n$/,
    );
    expect((await run('--list')).out).toBe('No trading halts in force.\n');
    expect(
      (await run('--list', '--all')).out.split('\n').filter((line) => line !== ''),
    ).toHaveLength(2);
    expect(await haltsInForce(database.db, 'any', [], [], systemClock.now())).toEqual([]);
  }, 60_000);

  it('refuses in one sentence what would stop nothing or stop the wrong thing', async () => {
    const [none, two, why, when, where] = await Promise.all([
      run('--reason', 'x'),
      run('--platform', '--venue', 'kraken', '--reason', 'x'),
      run('--platform'),
      run('--platform', '--reason', 'x', '--until', 'tomorrow'),
      run('--venue', 'krakn', '--reason', 'x'),
    ]);
    for (const one of [none, two])
      expect(one).toMatchObject({
        code: 1,
        err: expect.stringContaining('npm run halt') as string,
      });
    expect(why.err).toContain('Give a reason of at most 200 characters');
    expect(when.err).toContain('with its zone');
    expect(where.err).toContain('No account trades at “krakn”');
    expect(await haltsInForce(database.db, 'any', [], [], systemClock.now())).toEqual([]);
  }, 60_000);
});
