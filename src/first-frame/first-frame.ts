/** The first frame of this page: shown before the app's code is asked for, then handed to the app. */
import { APPEARANCE_KEY, markPage, readAppearance } from '../shell/appearance-marks.ts';
import { StopCatcher, type CaughtStop } from './catch-stops.ts';
import { deviceUser } from '../identity/device-record.ts';
import { isFramePath } from '../offline/frame-record.ts';
import { readDevice } from './read-device.ts';
import { frameToShow, presentPage, showFrame } from './show-frame.ts';

let catcher: StopCatcher | null = null;
let shownMark = '';

/** Resolves in the task after the next paint. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    // A page in the background paints nothing.
    if (document.visibilityState === 'hidden') resolve();
    else
      requestAnimationFrame(() => {
        setTimeout(resolve, 0);
      });
  });
}

/**
 * Shows what the screen of this address last showed, where the device has it. Resolves when it is
 * painted, or as soon as there is nothing to show.
 */
export async function openFirstFrame(): Promise<void> {
  const root = document.getElementById('root');
  const user = deviceUser();
  if (user === null || root === null) return;
  const { pathname, search } = location;
  const read = new Promise<boolean>((resolve) => {
    readDevice(user.uid, pathname, (kept) => {
      const frame = kept === null ? null : frameToShow(kept, user, presentPage());
      // A query, as of a return from a checkout, asks for more than the last frame.
      if (kept === null || frame === null || search !== '') {
        resolve(false);
        return;
      }
      markPage(readAppearance(localStorage.getItem(APPEARANCE_KEY)));
      showFrame(root, frame);
      shownMark = frame.mark;
      catcher = new StopCatcher(user.uid, root, frame.agents, kept.presses);
      resolve(true);
    });
  });
  if (isFramePath(pathname) && (await read)) await painted();
}

/** Whether a frame stands in the page until React has drawn. */
export const hasFirstFrame = (): boolean => catcher !== null;

/** What the shown frame was true of, by `frameMark`; empty without one. */
export const shownFrameMark = (): string => shownMark;

/** The stops that were pressed on the frame. */
export const caughtStops = (): readonly CaughtStop[] => catcher?.caught ?? [];

/** The app follows presses from here on. */
export function handOverPresses(): void {
  catcher?.handOver();
}

/**
 * React has replaced the frame. `onCaught` is called for each stop that was pressed on it,
 * `onFollowed` with the path of a link whose press it replaced.
 */
export function endFirstFrame(
  onCaught: (caught: CaughtStop) => void,
  onFollowed: (href: string) => void,
): void {
  catcher?.end(onCaught, onFollowed);
}
