/** Where the page begins: the last frame first, then the app. */
// First: whatever opens a database after it gives it back when the page is left.
import './platform/left-page.ts';
import './styles/app.css';
import './styles/device.css';
import { openFirstFrame } from './first-frame/first-frame.ts';
import { untilStarted } from './first-frame/not-started.ts';
import { fetchParts, openApp } from './open-app.ts';

// Not awaited here: the app imports parts of this file, and would wait for it in turn.
void untilStarted(
  openFirstFrame()
    .catch(() => undefined)
    .then(fetchParts)
    .then(openApp),
);
