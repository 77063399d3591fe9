/**
 * `npm run test:upgrade <commit>`: builds the app of an earlier commit with the packages installed
 * here, and has a browser that installed it update to the present build.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from './check-steps.ts';

const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('Name the commit to update from.');

const root = mkdtempSync(join(tmpdir(), 'tradewind-earlier-'));
const earlier = join(root, 'app');
const run = (cwd: string, file: string, args: string[], env: Record<string, string> = {}): void => {
  execFileSync(file, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } });
};
try {
  run('.', 'git', ['worktree', 'add', '--detach', earlier, commit]);
  symlinkSync(join(process.cwd(), 'node_modules'), join(earlier, 'node_modules'));
  run(earlier, join(process.cwd(), bin('vite')), ['build']);
  run('.', bin('tsx'), ['scripts/build.ts']);
  run(
    '.',
    bin('vitest'),
    ['run', '--config', 'vitest.e2e.config.ts', 'tests/faults/upgrade.e2e.ts'],
    { OLD_DIST: join(earlier, 'dist') },
  );
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', earlier]);
  rmSync(root, { recursive: true, force: true });
}
