/** Shows the last frame of a screen where it is still true, with its ages as of now. */
import { formatAge } from '../format/ages.ts';
import { frameMark, type FrameRecord } from '../offline/frame-record.ts';
import type { DeviceUser } from '../identity/device-record.ts';
import type { KeptFrame } from './read-device.ts';

/** What a frame must have been drawn for. */
export interface FramePage {
  styles: string;
  layout: string;
}

/** From here the layout of a wide window begins, as in `use-wide.ts`. */
const WIDE = '(min-width: 1023px)';

/** The page as it is now. */
export function presentPage(): FramePage {
  return {
    // The page's own comes first; those of parts loaded later follow.
    styles: document.querySelector('link[rel="stylesheet"]')?.getAttribute('href') ?? '',
    // In another language or time zone the same figures read otherwise.
    layout: [
      matchMedia(WIDE).matches ? 'wide' : 'narrow',
      navigator.language,
      new Date().getTimezoneOffset(),
    ].join(' '),
  };
}

interface RawAgents {
  value?: {
    agents?: { id: string; generation: number; version: number; status: string }[];
  };
}

/** The mark of what lies on the device now; null where the agents do not read. */
function presentMark(kept: KeptFrame): string | null {
  try {
    const { agents } = (kept.agents as RawAgents).value ?? {};
    return agents === undefined ? null : frameMark(agents, kept.commandIds);
  } catch {
    return null;
  }
}

/**
 * The frame, if it may be shown: the user is within the four hours, it was drawn by this build for
 * this layout, and agents and queue are as they were. Otherwise the app paints the first picture.
 */
export function frameToShow(
  kept: KeptFrame,
  user: DeviceUser,
  page: FramePage,
): FrameRecord | null {
  const { frame } = kept;
  if (frame === null || !user.isAuthenticated) return null;
  if (frame.styles !== page.styles || frame.layout !== page.layout) return null;
  return frame.mark === presentMark(kept) ? frame : null;
}

/** Puts the frame into the page; React replaces it as a whole. */
export function showFrame(root: Element, frame: FrameRecord, now = Date.now()): void {
  root.innerHTML = frame.html;
  for (const age of root.querySelectorAll('[data-age-since]'))
    age.textContent = formatAge(Number(age.getAttribute('data-age-since')), now);
}
