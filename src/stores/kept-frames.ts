/** Writes the frames that the shell has drawn. */
import type { FramePath, FrameRecord } from '../offline/frame-record.ts';
import { writeFrame } from '../offline/frames.ts';
import { log } from '../platform/page-log.ts';

export function keepFrame(uid: string, path: FramePath, record: FrameRecord): void {
  writeFrame(uid, path, record).catch((error: unknown) => {
    log.warn('The last frame could not be saved', error);
  });
}
