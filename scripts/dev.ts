/**
 * `npm run dev`: the page with hot reload on PORT, and a server behind it that restarts on changes.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { loadEnvironmentFiles, ROOT } from './build-stamp.ts';

loadEnvironmentFiles();
const port = Number(process.env.PORT ?? 8787);
const apiPort = port + 1;
// Vite's own configuration sends the server's paths to PORT.
process.env.PORT = String(apiPort);

const server = spawn(
  process.execPath,
  [
    fileURLToPath(import.meta.resolve('tsx/cli')),
    'watch',
    '--clear-screen=false',
    '--exclude',
    '.data/**',
    'server/main.ts',
  ],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      PORT: String(apiPort),
      PUBLIC_ORIGIN: `http://localhost:${port}`,
      NODE_ENV: 'development',
    },
  },
);

const vite = await createServer({
  root: ROOT,
  server: { host: '127.0.0.1', port, strictPort: true },
});
await vite.listen();
process.stdout.write(
  `Page with hot reload: http://localhost:${port} (server behind it on ${apiPort})\n`,
);

let ending = false;
const end = (code: number): void => {
  if (ending) return;
  ending = true;
  server.kill('SIGTERM');
  void vite.close().finally(() => process.exit(code));
};
process.on('SIGINT', () => {
  end(0);
});
process.on('SIGTERM', () => {
  end(0);
});
server.on('exit', (code) => {
  end(code ?? 1);
});
