/** Firebase Auth opened the same way in page and worker; refuses to open with a setting missing. */
import { initializeApp } from 'firebase/app';
import { connectAuthEmulator, indexedDBLocalPersistence, initializeAuth, type Auth } from 'firebase/auth';

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
  if (missing.length > 0) throw new Error(`Missing required Firebase configuration: ${missing.join(', ')}`);
  return settings;
}

/** A project id that starts with `demo-` can only be the emulator's, which the server passes through under its own origin. */
export function usesEmulator(projectId: string): boolean {
  return projectId.startsWith('demo-');
}

/** Opens Auth with the stored user of this origin. `origin` is where the emulator is reached. */
export function openAuth(settings: FirebaseSettings, origin: string): Auth {
  const app = initializeApp(firebaseOptions(settings), APP_NAME);
  const auth = initializeAuth(app, { persistence: indexedDBLocalPersistence });
  if (usesEmulator(settings.projectId)) connectAuthEmulator(auth, origin, { disableWarnings: true });
  return auth;
}
