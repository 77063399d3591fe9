/** The operator's commands, while no signer runs on the folder. */
import { join } from 'node:path';
import { StepUpKey } from '../contract/signer.ts';
import { AuditChain } from './audit-log.ts';
import { readLines } from './line-file.ts';
import { openStore } from './open-signer.ts';
import { Secrets } from './secrets.ts';

export const USAGE = `npm run signer                           runs it
npm run signer -- rotate                 makes a new key pair and seals every key to it
npm run signer -- remove CONNECTION      deletes a connection's key
npm run signer -- enrol CONNECTION KEY   adds a step-up key (base64url of an Ed25519 public key)
npm run signer -- audit                  prints the audit log and checks its chain
npm run signer -- try EXCHANGE AMOUNT    tries an exchange with a key from standard input
`;

function printAudit(folder: string, print: (line: string) => void): void {
  const chain = new AuditChain();
  readLines(join(folder, 'audit.jsonl'), (text) => {
    print(text);
    chain.take(JSON.parse(text));
  });
  print(
    chain.brokenAt === null
      ? `${chain.seq} entries, unchanged`
      : `changed at entry ${chain.brokenAt}`,
  );
}

/** @throws Error with the usage when the command is none. */
export async function runCommand(
  [act = '', connectionId = '', publicKey = '']: readonly string[],
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  if (act === 'audit') {
    printAudit(folder, print);
    return;
  }
  if (!['rotate', 'remove', 'enrol'].includes(act)) throw new Error(USAGE);
  const store = await openStore(folder, Date.now, new Secrets());
  const { audit, journal, keys } = store;
  try {
    if (act === 'rotate') {
      const count = await keys.rotate(Date.now());
      audit.write('operator', 'box key changed', { keys: count, boxKey: store.box.current.id });
      print(`${count} keys are sealed to ${store.box.current.id}`);
      return;
    }
    if (!journal.ledger.connections.has(connectionId)) throw new Error('No such connection');
    if (act === 'remove') {
      keys.remove(connectionId);
      journal.write({ kind: 'disconnected', atMs: Date.now(), connectionId });
      audit.write('operator', 'key removed', { connectionId });
      print('removed');
      return;
    }
    const key = StepUpKey.parse({
      id: `key-${Date.now().toString(36)}`,
      kind: 'ed25519',
      publicKey,
    });
    journal.write({ kind: 'enrolled', atMs: Date.now(), connectionId, key });
    audit.write('operator', 'step-up key enrolled', { connectionId, key: key.id });
    print(`enrolled ${key.id}`);
  } finally {
    store.close();
  }
}
