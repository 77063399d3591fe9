/** Where the page begins: the last frame first, then the app. */
import './styles/app.css';
import './styles/device.css';
import { openFirstFrame } from './first-frame/first-frame.ts';

/** One part after the other: run in one go they would hold up a finger on the frame. */
async function openApp(): Promise<void> {
  await import('react-dom/client');
  await import('./offline/snapshot-registry.ts');
  await import('./start.tsx');
}

// Not awaited here: the app imports parts of this file, and would wait for it in turn.
void openFirstFrame()
  .catch(() => undefined)
  .then(openApp);
