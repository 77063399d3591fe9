/** A server with the app's loader of parts and a part of two files, each of which it can keep back. */
import { readFileSync } from 'node:fs';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { startReplyServer } from './reply-server.ts';

const LOADER = transpileModule(readFileSync('src/platform/load-part.ts', 'utf8'), {
  compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
}).outputText;

const HTML = { 'content-type': 'text/html; charset=utf-8' };
/** As the app's own server sends them. */
const SCRIPT = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
};

/** One try of a page to load the part of a folder: what the part is, or the name of the failure. */
export const TRY_PART = `
const { loadPart } = await import('/loader.js');
const files = [folder + '/part.js', folder + '/rows.js'];
try {
  const part = await loadPart(() => import('/' + files[0]), files);
  return part.default;
} catch (error) {
  return error.name;
}
`;

export interface PartServer {
  url: string;
  /** What it cuts the connection for; null: nothing. */
  missing: RegExp | null;
  /** From now on each file comes once and never again. */
  onceEach(): void;
  close(): Promise<void>;
}

export async function startPartServer(): Promise<PartServer> {
  const replies = await startReplyServer();
  let sent: Set<string> | null = null;
  const server: PartServer = {
    url: replies.url,
    missing: null,
    onceEach() {
      sent = new Set();
    },
    close: () => replies.close(),
  };
  replies.answer(({ path }) => {
    if (path === '/') return { status: 200, headers: HTML, body: '<!doctype html><p>Ready</p>' };
    if (path === '/loader.js') return { status: 200, headers: SCRIPT, body: LOADER };
    if (server.missing?.test(path) === true || sent?.has(path) === true) return 'reset';
    sent?.add(path);
    const body = path.endsWith('/part.js')
      ? "import rows from './rows.js'; export default `a part of ${rows}`;"
      : "export default 'rows';";
    return { status: 200, headers: SCRIPT, body };
  });
  return server;
}
