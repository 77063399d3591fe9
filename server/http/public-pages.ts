/**
 * The pages that the build has completed, with this server's own address written into them: packed
 * once, and held with the digests of the scripts that stand in them.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { ORIGIN_IN_BUILD, publicPageOf } from '../../contract/public-pages.ts';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
};
/** Scripts without an address and of the default type: data blocks are no scripts. */
const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;

const digestOf = (text: string | Buffer): string =>
  createHash('sha256').update(text).digest('base64');

export interface PublicPage {
  type: string;
  tag: string;
  /** For the policy's `script-src`. */
  scriptDigests: string[];
  /** By the name of the encoding; `identity` is the plain text. */
  bodies: { identity: Buffer; br: Buffer | null; gzip: Buffer | null };
}

export interface PublicPages {
  /** The file under the build's folder for a path of the site; undefined where it is another's. */
  fileOf(path: string): string | undefined;
  read(file: string): Promise<PublicPage>;
}

async function made(path: string, publicOrigin: string, compression: boolean): Promise<PublicPage> {
  const text = (await readFile(path, 'utf8')).replaceAll(ORIGIN_IN_BUILD, publicOrigin);
  const plain = Buffer.from(text);
  const [br, packed] = compression
    ? await Promise.all([
        brotli(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } }),
        deflate(plain, { level: 9 }),
      ])
    : [null, null];
  return {
    type: TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    tag: `W/"${digestOf(plain).slice(0, 27)}"`,
    scriptDigests: [...text.matchAll(INLINE_SCRIPT)].map(
      ([, script = '']) => `'sha256-${digestOf(script)}'`,
    ),
    bodies: { identity: plain, br, gzip: packed },
  };
}

/** `root` holds the build; a build that is laid there later is served without a restart. */
export function openPublicPages(
  root: string,
  publicOrigin: string,
  compression: boolean,
): PublicPages {
  const known = new Map<string, { of: string; page: Promise<PublicPage> }>();
  return {
    fileOf: (path) =>
      publicPageOf(path) ??
      (/^\/(?:pages\/[\w-]+\.html|robots\.txt|sitemap\.xml)$/.test(path)
        ? path.slice(1)
        : undefined),
    async read(file) {
      const path = join(root, file);
      const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path);
      const of = [dev, ino, size, mtimeMs, ctimeMs].join(':');
      const held = known.get(file);
      if (held?.of === of) return held.page;
      const page = made(path, publicOrigin, compression);
      known.set(file, { of, page });
      // One that could not be read is read again.
      page.catch(() => known.delete(file));
      return page;
    },
  };
}
