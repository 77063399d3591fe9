/** The user's trading settings; an older version never overwrites a newer one. */
import { replyStore } from './reply-store.ts';

export const {
  slot: settingsStore,
  apply: applySettings,
  load: loadSettings,
  clear: clearSettings,
} = replyStore('settings');
