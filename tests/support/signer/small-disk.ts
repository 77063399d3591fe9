/** A disk of which a test says how much room it has. */
import { fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { DISK, type Disk } from '../../../signer/disk.ts';

export const full = (): Error =>
  Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

export interface SmallDisk extends Disk {
  /** Takes so many bytes and then none; `null`: everything. */
  room: number | null;
  canShrink: boolean;
  /** Whatever is freed and not taken by the next write is gone: others write there too. */
  othersTake: boolean;
}

export function makeDisk(): SmallDisk {
  const disk: SmallDisk = {
    room: null,
    canShrink: true,
    othersTake: false,
    write: (handle, bytes) => {
      if (disk.room === null) return writeSync(handle, bytes);
      if (disk.room === 0) throw full();
      const taken = Math.min(disk.room, bytes.byteLength);
      disk.room = disk.othersTake ? 0 : disk.room - taken;
      return writeSync(handle, bytes.subarray(0, taken));
    },
    truncate: (handle, length) => {
      if (!disk.canShrink) throw new Error('EIO');
      if (disk.room !== null) disk.room += Math.max(0, fstatSync(handle).size - length);
      ftruncateSync(handle, length);
    },
    sync: (handle) => {
      DISK.sync(handle);
    },
  };
  return disk;
}
