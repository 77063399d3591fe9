/** Opens the signer's parts in order, and closes them again. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { AuditLog } from './audit-log.ts';
import { Box } from './box.ts';
import { Desk } from './desk.ts';
import { systemClock, type Clock } from './exchanges/budget.ts';
import { openFolder } from './folder.ts';
import { Journal } from './journal.ts';
import { KeyStore } from './key-store.ts';
import { lockFolder } from './lock-folder.ts';
import { openLog } from './log.ts';
import { Reserve } from './reserve.ts';
import { Secrets } from './secrets.ts';
import type { SignerSettings } from './settings.ts';
import { openSocket } from './socket.ts';
import { SpentStore } from './spent.ts';
import { within } from './within.ts';

/** Permissions are read again this often. */
const RECHECK_MS = 24 * 60 * 60_000;
/** How often is looked which are due; of a key with a fault they always are. */
const RECHECK_LOOK_MS = 10 * 60_000;

/** An order is on its way for ten seconds at most. */
const END_WAIT_MS = 15_000;

/** What lies in the folder; the same for the process and the operator's commands. */
export async function openStore(
  folder: string,
  now: () => number,
  secrets: Secrets,
  onDiskFull: () => void = () => undefined,
) {
  openFolder(folder);
  chmodSync(folder, 0o700);
  const reserve = Reserve.open(join(folder, 'reserve'), now, { onUse: onDiskFull });
  const unlock = await lockFolder(folder, () => reserve.giveUp()).catch((error: unknown) => {
    reserve.close();
    throw error;
  });
  reserve.isWhole();
  const box = await Box.open(join(folder, 'box'), now());
  const keys = new KeyStore(join(folder, 'keys'), box, secrets);
  const journal = new Journal(join(folder, 'journal.jsonl'), { reserve });
  keys.finish((id) => {
    const connection = journal.ledger.connections.get(id);
    return connection?.connected === true ? connection.keys : null;
  });
  const audit = AuditLog.open(join(folder, 'audit.jsonl'), now, { reserve });
  const spent = new SpentStore(join(folder, 'spent'));
  return {
    box,
    keys,
    journal,
    audit,
    reserve,
    spent,
    close: () => {
      journal.close();
      audit.close();
      reserve.close();
      unlock();
    },
  };
}

export interface RunningSigner {
  port: number | null;
  close: () => Promise<void>;
}

export async function openSigner(
  settings: SignerSettings,
  write: (line: string) => void,
  clock: Clock = systemClock,
): Promise<RunningSigner> {
  const secrets = new Secrets();
  const log = openLog(secrets, write);
  const store = await openStore(
    settings.folder,
    () => clock.now(),
    secrets,
    () => {
      log.error({}, 'the disk is full: nothing is bought until there is room again');
    },
  );
  const { origins, passkeys } = settings;
  const desk = new Desk({ ...store, secrets, log, clock, origins, passkeys });
  const socket = await openSocket(settings.listen, (ask) => desk.answer(ask), log);
  const recheck = setInterval(() => {
    desk.recheckAll(RECHECK_MS).catch((error: unknown) => {
      log.error(
        { error: error instanceof Error ? error.name : 'unknown' },
        'permissions could not be read again',
      );
    });
  }, RECHECK_LOOK_MS);
  log.info(
    {
      listen: settings.listen.kind,
      boxKey: store.box.current.id,
      connections: store.journal.ledger.connections.size,
      auditHead: store.audit.head,
    },
    'signing',
  );
  return {
    port: socket.port,
    close: async () => {
      clearInterval(recheck);
      desk.stop();
      // What is out is answered: the server would take it to be in doubt.
      await within(desk.settled(), END_WAIT_MS);
      await socket.close();
      store.close();
    },
  };
}
