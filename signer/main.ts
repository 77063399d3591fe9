/** Runs the signer until a signal ends it, or carries out one of the operator's commands. */
import { fileURLToPath } from 'node:url';
import { runCommand } from './commands.ts';
import { systemClock } from './exchanges/budget.ts';
import { openSigner } from './open-signer.ts';
import { readSettings } from './settings.ts';
import { runTrial } from './try-exchange.ts';

const print = (text: string): void => {
  process.stdout.write(text);
};

/** Only sentences of ours: what a library throws may quote what it was given. */
function fail(error: unknown): never {
  process.stderr.write(
    `The signer stopped. ${error instanceof Error ? error.message : 'It failed.'}\n`,
  );
  process.exit(1);
}

async function run(args: readonly string[]): Promise<void> {
  // Whatever is written must be readable by this user only.
  process.umask(0o077);
  // A line that nobody takes is lost, and nothing else: exits leave on a full disk too.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const settings = readSettings(process.env);
  if (args[0] === 'try') {
    await runTrial(args, settings.origins, systemClock, (line) => {
      print(`${line}\n`);
    });
    return;
  }
  if (args.length > 0) {
    await runCommand(args, settings.folder, (line) => {
      print(`${line}\n`);
    });
    return;
  }
  const signer = await openSigner(settings, print);
  const end = (): void => {
    signer.close().then(() => process.exit(0), fail);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  // Started by the server: it ends with it, also when the server was killed.
  if (process.send !== undefined) process.once('disconnect', end);
  process.send?.('ready');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) run(process.argv.slice(2)).catch(fail);
