/**
 * `npm start`: builds the app if the build is missing or outdated, runs the server in the same
 * process, and the signer in one of its own.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startSigner } from './signer-child.ts';
import { builtStamp, loadEnvironmentFiles, presentStamp } from './build-stamp.ts';

process.stdout.write('Tradewind is starting…\n');
loadEnvironmentFiles();

/** In a process of its own, so that the server's parts open meanwhile. */
function buildApp(): Promise<void> {
  process.stdout.write('Building the app (the first time, and after changes)…\n');
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [
        '--import',
        import.meta.resolve('tsx'),
        fileURLToPath(new URL('./build.ts', import.meta.url)),
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const endWithUs = (): void => {
      child.kill('SIGKILL');
    };
    process.once('exit', endWithUs);
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('exit', endWithUs);
      if (code === 0) resolve();
      else
        reject(new Error(`The app could not be built (exit ${code ?? 'by signal'}); see above.`));
    });
  });
}

const built = builtStamp() === presentStamp(process.env) ? Promise.resolve() : buildApp();
built.catch(() => undefined);
const [{ runServer }, { failToStart }] = [
  await import('../server/main.ts'),
  await import('../server/process.ts'),
];
runServer(built).then(() => {
  startSigner(process.env);
}, failToStart);
