/** The thread in which PGlite runs: a long query holds this one and not the server's. */
import { parentPort } from 'node:worker_threads';
import type { Results, Transaction } from '@electric-sql/pglite';
import type { Log } from '../log.ts';
import { PgliteBroke, RevivingPglite } from './pglite-client.ts';
import { toFault, type OpenOptions, type PgliteAsk, type PgliteTold } from './pglite-messages.ts';

const port = parentPort;
if (port === null) throw new Error('This file is run as a thread');

const tell = (told: PgliteTold): void => {
  port.postMessage(told);
};

const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => {
    tell({ event: 'log', level: 'warn', fields, message });
  },
  error: (fields, message) => {
    tell({ event: 'log', level: 'error', fields, message });
  },
};

class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/** One transaction, held open between messages. */
interface Held {
  tx: Transaction;
  end(commit: boolean): void;
}

let client: RevivingPglite | null = null;
let held: Held | null = null;
/** Settles once the newest transaction is over. */
let ending: Promise<unknown> = Promise.resolve();

function present(): RevivingPglite {
  if (client === null) throw new PgliteBroke('PGlite is not open yet');
  return client;
}

async function open({ dataDir, folder }: OpenOptions): Promise<void> {
  client = await RevivingPglite.open({ dataDir, relaxedDurability: false }, folder, log);
  client.onReturn(() => {
    tell({ event: 'returned' });
  });
}

const asTold = (value: string): string => value;

function query(ask: Extract<PgliteAsk, { act: 'query' }>): Promise<Results> {
  const options = {
    ...(ask.rowMode === undefined ? {} : { rowMode: ask.rowMode }),
    parsers: Object.fromEntries(ask.verbatim.map((type) => [type, asTold])),
  };
  return held === null
    ? present().query(ask.text, ask.params, options)
    : held.tx.query(ask.text, ask.params, options);
}

function begin(): Promise<void> {
  return new Promise<void>((begun, failed) => {
    ending = present().transaction(
      (tx) =>
        new Promise<void>((done, fail) => {
          held = {
            tx,
            end(commit) {
              if (commit) done();
              else fail(new RolledBack('Rolled back'));
            },
          };
          begun();
        }),
    );
    ending.catch(failed);
  });
}

async function end(commit: boolean): Promise<void> {
  if (held === null) throw new PgliteBroke('No transaction is open');
  const ended = ending;
  held.end(commit);
  held = null;
  try {
    await ended;
  } catch (error) {
    // Whoever rolls back has a reason of their own to tell.
    if (commit) throw error;
  }
}

async function answer(ask: PgliteAsk): Promise<unknown> {
  switch (ask.act) {
    case 'open':
      return open(ask.options);
    case 'query':
      return query(ask);
    case 'begin':
      return begin();
    case 'end':
      return end(ask.commit);
    case 'close':
      return client?.close();
  }
}

port.on('message', ({ id, ask }: { id: number; ask: PgliteAsk }) => {
  answer(ask).then(
    (value) => {
      tell({ id, value });
    },
    (error: unknown) => {
      tell({ id, fault: toFault(error) });
    },
  );
});
