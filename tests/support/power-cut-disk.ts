/**
 * A disk that loses power: what was not synced is gone when it comes back. It is a file system of its
 * own in a file, shut down as the kernel does for such tests (FS_IOC_SHUTDOWN, without writing its
 * log), and mounted again, which replays its journal.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PowerCutDisk {
  folder: string;
  /** From now on nothing is written any more; what lies in memory alone is lost. */
  cut(): void;
  /** Whoever used it must have ended. */
  back(): void;
  remove(): void;
}

const MEBIBYTES = 1_536;
/** Asked from Perl, which every Debian has: Node has no `ioctl`. 2 is "without the log". */
const CUT =
  'open(my $disk, "<", $ARGV[0]) or die; my $how = pack("L", 2); ioctl($disk, 0x8004587d, $how) or die';

const run = (file: string, ...args: string[]): void => {
  execFileSync(file, args, { stdio: 'ignore' });
};

/** Null where this process may not mount one, or the machine has no ext4. */
export function powerCutDisk(): PowerCutDisk | null {
  const place = mkdtempSync(join(tmpdir(), 'tradewind-power-'));
  const image = join(place, 'image');
  const folder = join(place, 'disk');
  const mount = (): void => {
    run('mount', '-o', 'loop', image, folder);
  };
  try {
    mkdirSync(folder);
    run('truncate', '-s', `${MEBIBYTES}M`, image);
    run('mkfs.ext4', '-q', '-F', image);
    mount();
    run('chmod', '755', place, folder);
  } catch {
    rmSync(place, { recursive: true, force: true });
    return null;
  }
  const unmount = (): void => {
    // A process that was killed a moment ago may still hold it.
    for (let tries = 1; ; tries += 1)
      try {
        run('umount', folder);
        return;
      } catch (error) {
        if (tries === 50) throw error;
        execFileSync('sleep', ['0.1']);
      }
  };
  return {
    folder,
    cut: () => {
      run('perl', '-e', CUT, folder);
    },
    back: () => {
      unmount();
      mount();
    },
    remove: () => {
      unmount();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
