/** Opens Firebase Auth the same way in page and worker. Throws when a setting is missing. */
import { initializeApp } from 'firebase/app';
import {
  connectAuthEmulator,
  indexedDBLocalPersistence,
  initializeAuth,
  type Auth,
} from 'firebase/auth';

export interface FirebaseSettings {
  apiKey: string;
  authDomain: string;
  projectId: string;
  storageBucket: string;
  messagingSenderId: string;
  appId: string;
}

/** Page and worker must share this name, and the api key, to share the stored user. */
export const APP_NAME = 'tradewind';

/**
 * The settings Firebase is opened with; the last check before it.
 * @throws Error 'Missing required Firebase configuration: …' naming each missing setting.
 */
export function firebaseOptions(settings: FirebaseSettings): FirebaseSettings {
  const needed = ['apiKey', 'authDomain', 'projectId', 'appId'] as const;
  const missing = needed.filter((name) => settings[name].trim() === '');
  if (missing.length > 0)
    throw new Error(`Missing required Firebase configuration: ${missing.join(', ')}`);
  return settings;
}

/**
 * A project id that starts with `demo-` can only be the emulator's, which the server passes through
 * under its own origin.
 */
function usesEmulator(projectId: string): boolean {
  return projectId.startsWith('demo-');
}

/**
 * Firebase waits for IndexedDB forever, so we check it first, ms. Longer where it holds a login.
 */
const STORAGE_DEADLINE_MS = 2_000;
const REMEMBERED_DEADLINE_MS = 8_000;
/** A timer that comes later than this was asleep with its page, ms. */
const ASLEEP_MS = 1_000;
/**
 * A page that is left while it asks keeps the name it asks under, and whoever asks under the same one
 * waits for it: one of a few, so that little could ever be left behind.
 */
const PROBES = 64;
const probeName = (): string => `storage-probe-${Math.floor(Math.random() * PROBES)}`;

/**
 * Whether IndexedDB answers in time; a refusal is an answer, and Firebase knows what to do with it.
 * Leaves nothing behind.
 */
export function storageAnswers(
  deadlineMs = STORAGE_DEADLINE_MS,
  factory = (globalThis as { indexedDB?: IDBFactory }).indexedDB,
): Promise<boolean> {
  return new Promise((resolve) => {
    if (factory === undefined) {
      resolve(true);
      return;
    }
    let timer: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      const dueAt = Date.now() + deadlineMs;
      timer = setTimeout(() => {
        if (Date.now() - dueAt > ASLEEP_MS) wait();
        else resolve(false);
      }, deadlineMs);
    };
    wait();
    const answered = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    try {
      const request = factory.open(probeName());
      // A database whose making is aborted was never there.
      request.onupgradeneeded = () => {
        request.transaction?.abort();
      };
      request.onsuccess = () => {
        request.result.close();
        answered();
      };
      request.onerror = (event) => {
        event.preventDefault();
        answered();
      };
    } catch {
      answered();
    }
  });
}

/** Opens Auth with the stored user of this origin. `origin` is where the emulator is reached. */
export function openAuth(settings: FirebaseSettings, origin: string): Auth {
  const auth = initializeAuth(initializeApp(firebaseOptions(settings), APP_NAME), {
    persistence: indexedDBLocalPersistence,
  });
  if (usesEmulator(settings.projectId))
    connectAuthEmulator(auth, origin, { disableWarnings: true });
  return auth;
}

/**
 * Makes storage that hangs fail at once, for the rest of this realm's life, so that nothing waits
 * for it.
 */
export function refuseStorage(realm: object = globalThis): void {
  const refuse = (): never => {
    throw new DOMException('This browser’s storage does not answer', 'UnknownError');
  };
  Object.defineProperty(realm, 'indexedDB', {
    value: { open: refuse, deleteDatabase: refuse, databases: refuse, cmp: refuse },
    configurable: true,
  });
}

/**
 * Where storage hangs, a page goes on with nobody, and with a sign-in that lasts as long as the
 * page: besides the stored user, every request of Firebase's waits for a database of its own.
 * `remembered`: our own record names somebody.
 */
export async function openPageAuth(
  settings: FirebaseSettings,
  origin: string,
  remembered: boolean,
): Promise<Auth> {
  if (!(await storageAnswers(remembered ? REMEMBERED_DEADLINE_MS : STORAGE_DEADLINE_MS)))
    refuseStorage();
  return openAuth(settings, origin);
}
