/** The operator reads and answers support requests, beside a running server or without one; refuses to act on an id that names several. */
import { request } from 'node:http';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../server/clock.ts';
import { readConfig, type Config } from '../server/config.ts';
import { FolderInUse, lockFolder } from '../server/db/folder-lock.ts';
import { openPglite } from '../server/db/pglite.ts';
import { openPostgres } from '../server/db/postgres.ts';
import { operate, operatorSocket, type OperatorAsk } from '../server/support/operator-socket.ts';
import type { OperatorRequest } from '../server/support/requests.ts';

const USAGE = `Usage:
  npx tsx scripts/support.ts list [--all]         what waits for an answer, priority first; with --all everything
  npx tsx scripts/support.ts show ID              one request whole, with the facts that were sent
  npx tsx scripts/support.ts answer ID "TEXT"     answers it (without TEXT: from standard input)
  npx tsx scripts/support.ts close ID             closes it without an answer
ID may be cut to its beginning. DATA_DIR and DATABASE_URL say where, as for the server.`;

/** Through the running server's socket; null where none answers. */
function overSocket(path: string, ask: OperatorAsk): Promise<OperatorRequest[] | null> {
  return new Promise((done, fail) => {
    const call = request({ socketPath: path, method: 'POST', path: '/' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => { text += piece; }).on('end', () => {
        const { reply, error } = JSON.parse(text) as { reply?: OperatorRequest[]; error?: string };
        if (reply === undefined) fail(new Error(error ?? 'The server answered nothing'));
        else done(reply);
      });
    });
    call.on('error', (error: NodeJS.ErrnoException) => { if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') done(null); else fail(error); });
    call.end(JSON.stringify(ask));
  });
}

async function directly(config: Config, dataDir: string, ask: OperatorAsk): Promise<OperatorRequest[]> {
  const nothing = (): void => undefined;
  const unlock = config.databaseUrl === null ? lockFolder(dataDir) : nothing;
  const database = config.databaseUrl === null ? await openPglite(dataDir) : await openPostgres(config.databaseUrl, { poolMax: 1, log: { debug: nothing, info: nothing, warn: nothing, error: nothing } });
  try {
    return await operate(database, systemClock, ask) as OperatorRequest[];
  } finally {
    await database.close();
    unlock();
  }
}

async function ask(what: OperatorAsk): Promise<OperatorRequest[]> {
  const config = readConfig(process.env);
  const dataDir = resolve(config.dataDir);
  const socket = operatorSocket(dataDir);
  return (existsSync(socket) ? await overSocket(socket, what) : null) ?? directly(config, dataDir, what);
}

const moment = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
/** Whatever a person wrote must not command the terminal it is read in. */
// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const plain = (text: string): string => text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ');

function line(one: OperatorRequest): string {
  const first = plain(one.messages[0]?.text ?? '').replace(/\s+/g, ' ');
  return `${one.id.slice(0, 8)}  ${one.priority ? 'PRIORITY' : '        '}  ${one.state.padEnd(8)}  ${moment(one.updatedAt)}  ${one.category.padEnd(9)}  ${plain(one.email ?? one.uid)}\n          ${first.length > 100 ? `${first.slice(0, 99)}…` : first}`;
}

function whole(one: OperatorRequest): string {
  const words = one.messages.map(({ author, createdAt, text }) => `--- ${author === 'operator' ? 'answer' : 'person'}, ${moment(createdAt)} UTC\n${plain(text)}`);
  const facts = one.diagnostics === null ? [] : ['--- facts they agreed to send', plain(JSON.stringify(one.diagnostics, null, 2))];
  return [`${one.id}  ${one.state}${one.priority ? '  PRIORITY' : ''}`, `${plain(one.email ?? '')}  (${one.uid})  ${one.category}`, ...words, ...facts].join('\n');
}

async function standardInput(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin as AsyncIterable<Buffer>) text += piece.toString('utf8');
  return text;
}

async function main([act = '', id = '', ...rest]: string[]): Promise<string> {
  if (act === 'list') {
    const found = await ask({ act, all: id === '--all' });
    return found.length === 0 ? 'Nothing waits for an answer.' : found.map(line).join('\n');
  }
  if (act === 'show') {
    const found = (await ask({ act: 'list', all: true })).filter((one) => id !== '' && one.id.startsWith(id.toLowerCase()));
    return found.length === 0 ? 'There is no such request.' : found.map(whole).join('\n\n');
  }
  if (act === 'answer') {
    const text = rest.length > 0 ? rest.join(' ') : await standardInput();
    return (await ask({ act, id, text })).filter((one) => one.id.startsWith(id.toLowerCase())).map(whole).join('\n');
  }
  if (act === 'close') {
    await ask({ act, id });
    return 'Closed.';
  }
  return USAGE;
}

main(process.argv.slice(2)).then((text) => { process.stdout.write(`${text}\n`); }, (error: unknown) => {
  const why = error instanceof FolderInUse ? `${error.message} It is an older one without a socket for this command: restart it.` : error instanceof Error ? error.message : String(error);
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
});
