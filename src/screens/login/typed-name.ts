/** The name typed at registration, kept on this device until the account has it. */
import { subscribeKey } from 'valtio/utils';
import { fields, orNull, readJson, text, type Read } from '../../../contract/readers.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { session } from '../../identity/session.ts';
import { log } from '../../platform/page-log.ts';
import { connection } from '../../stores/connection.ts';

/** Deleted at log-out, as everything under this prefix except settings of the device. */
const NAME_KEY = 'tradewind.typedName';

const typedName = fields({
  uid: text,
  name: text,
  /** What the server named the account; null until that was read. Another name is the user's own. */
  replaces: orNull(text),
});
type TypedName = Read<typeof typedName>;

function readNote(): TypedName | null {
  try {
    return readJson(typedName, localStorage.getItem(NAME_KEY));
  } catch {
    return null;
  }
}

function writeNote(note: TypedName): void {
  try {
    localStorage.setItem(NAME_KEY, JSON.stringify(note));
  } catch {
    // Without free storage the name is tried once.
  }
}

function forgetNote(): void {
  try {
    localStorage.removeItem(NAME_KEY);
  } catch {
    // Nothing was kept then.
  }
}

const isHere = ({ uid }: TypedName): boolean =>
  session.status === 'signed-in' && session.user?.uid === uid;

/** The server names a new account by its email address; what its user typed counts. */
async function write(note: TypedName): Promise<void> {
  const { settings, version } = await api.call('tradingSettings', {});
  // Somebody else may have come while it was read.
  if (!isHere(note)) return;
  const { displayName } = settings;
  if (note.replaces === null) writeNote({ ...note, replaces: displayName });
  if (displayName !== (note.replaces ?? displayName)) {
    forgetNote();
    return;
  }
  await api.call('updateTradingSettings', {
    body: { ...settings, displayName: note.name, version },
  });
  forgetNote();
}

let writing = false;

/** A failure leaves the note for the next start or return of the network. */
async function writeOnce(note: TypedName | null): Promise<void> {
  if (note === null || writing || !isHere(note)) return;
  writing = true;
  try {
    await write(note);
  } catch (error) {
    // A name that the server refuses is refused the next time too.
    if (error instanceof ApiError && error.code === 'invalid_request') forgetNote();
    log.warn('The settings keep the name from the email address for now', error);
  } finally {
    writing = false;
  }
}

/** Gives a new account the name that its user typed. */
export function nameAccount(uid: string, name: string): Promise<void> {
  const note: TypedName = { uid, name, replaces: null };
  writeNote(note);
  return writeOnce(note);
}

/** Writes a name that an earlier visit could not. */
export function openTypedName(): void {
  const retry = (): void => {
    if (session.provisional || connection.online === 'offline') return;
    void writeOnce(readNote());
  };
  subscribeKey(session, 'status', retry);
  subscribeKey(session, 'provisional', retry);
  subscribeKey(connection, 'online', retry);
  retry();
}
