/** One process a folder, also where process ids say nothing: between containers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../signer/open-signer.ts';
import { Secrets } from '../../signer/secrets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const open = () => openStore(folder, Date.now, new Secrets());

async function listenAt(name: string): Promise<Server> {
  const server = createServer();
  server.listen(join(folder, name));
  await once(server, 'listening');
  return server;
}

function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(folder, name), () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

describe('a folder whose signer runs in another container', () => {
  it.each([
    ['of which the process id is ours', String(process.pid), 'alive.sock'],
    ['of which the process id is unknown here', '999999999', 'alive.sock'],
    ['which is an older one', '999999999', 'signer.sock'],
  ])('is not taken over: %s', async (_what, pid, name) => {
    writeFileSync(join(folder, 'signer.lock'), pid);
    const other = await listenAt(name);
    await expect(open()).rejects.toThrow(/Another signer answers in this folder/);
    expect(await answers(name)).toBe(true);
    other.close();
    (await open()).close();
  });
});

describe('a folder', () => {
  it('answers while it is used, whatever the server connects by, and no longer', async () => {
    const store = await open();
    expect(await answers('alive.sock')).toBe(true);
    await expect(open()).rejects.toThrow(/Another signer/);
    expect(await answers('alive.sock')).toBe(true);
    store.close();
    expect(existsSync(join(folder, 'alive.sock'))).toBe(false);
    const again = await open();
    expect(await answers('alive.sock')).toBe(true);
    again.close();
  });

  it('of a signer that was killed is taken over', async () => {
    const path = join(folder, 'alive.sock');
    const listen = `require('node:net').createServer().listen(${JSON.stringify(path)},()=>console.log('up'))`;
    const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    writeFileSync(join(folder, 'signer.lock'), String(child.pid));
    await expect(open()).rejects.toThrow(/Another signer/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(path)).toBe(true);
    const store = await open();
    expect(await answers('alive.sock')).toBe(true);
    store.close();
  });
});

/** A process that runs and looks like a signer, as one that another container took the number of does. */
async function looksLikeOne(): Promise<string> {
  const child = spawn(
    process.execPath,
    ['-e', `console.log('up');setInterval(()=>0,1e6)//signer`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return String(child.pid);
}

describe('a lock that was left behind, and whose process id another process has', () => {
  it('holds up no start where the signer that wrote it answered on a socket', async () => {
    const pid = await looksLikeOne();
    const store = await open();
    const lock = readFileSync(join(folder, 'signer.lock'), 'utf8');
    // A signer that is older reads the number all the same.
    expect(Number(lock)).toBe(process.pid);
    store.close();
    writeFileSync(join(folder, 'signer.lock'), lock.replace(String(process.pid), pid));
    (await open()).close();
  });

  it('is believed where an older signer wrote it, which may listen on TLS alone', async () => {
    writeFileSync(join(folder, 'signer.lock'), await looksLikeOne());
    await expect(open()).rejects.toThrow('Another signer uses this folder');
  });

  it('is believed where the folder takes no socket', async () => {
    // A path that is longer than that of any socket.
    folder = join(folder, 'x'.repeat(120));
    mkdirSync(folder);
    writeFileSync(join(folder, 'signer.lock'), `${await looksLikeOne()}\n`);
    await expect(open()).rejects.toThrow('Another signer uses this folder');
  });
});
