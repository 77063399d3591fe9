/** What a build's pages download, read off the built files and their source maps. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** Where the modules of a wallet come from. */
const WALLET_SOURCE =
  /\/node_modules\/(?:@coinbase|@base-org|cbw-sdk|wagmi|@wagmi|viem|ox|abitype|mipd|@tanstack|graphql|graphql-request|@metamask|@walletconnect|@farcaster|@noble|tailwind-merge|qrcode)\/|\/src\/wallet\/(?!connect\/remembered-wallet)/;
/** The door: nothing behind it is loaded before the wallet is shown. */
const DOOR = /^wallet-WalletRoot-/;

export interface Bundle {
  /**
   * Every chunk that a page of any kind may load before it shows the wallet, by plain and by late
   * imports.
   */
  beforeTheWallet: Set<string>;
  /** The first of what the wallet loads, and each part of it beside that: chunk names to files. */
  panel: Set<string>;
  parts: Map<string, Set<string>>;
  /** Modules of a wallet in these chunks. */
  walletModules(files: Iterable<string>): string[];
  /** KiB in brotli. */
  size(files: Iterable<string>): number;
}

const LATE = /import\(\s*["'`]\.\/([\w.-]+\.js)["'`]/g;
const ANY = /["'`]\.\/([\w.-]+\.js)["'`]/g;
const named = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? '');

export function readBundle(dist = 'dist'): Bundle {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = texts.get(file) ?? readFileSync(join(dist, 'assets', file), 'utf8');
    texts.set(file, text);
    return text;
  };
  const late = (file: string): string[] => named(textOf(file), LATE);
  const plain = (file: string): string[] => {
    const lates = new Set(late(file));
    return named(textOf(file), ANY).filter((one) => !lates.has(one));
  };
  const closure = (roots: readonly string[], next: (file: string) => string[]): Set<string> => {
    const found = new Set<string>();
    const waiting = [...roots];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (found.has(file)) continue;
      found.add(file);
      waiting.push(...next(file));
    }
    return found;
  };
  const start = [
    ...readFileSync(join(dist, 'index.html'), 'utf8').matchAll(/assets\/([\w.-]+\.js)"/g),
  ].map((match) => match[1] ?? '');
  const beforeTheWallet = closure(start, (file) =>
    [...plain(file), ...late(file)].filter((one) => !DOOR.test(one)),
  );
  const doors = [...new Set([...beforeTheWallet].flatMap(late).filter((one) => DOOR.test(one)))];
  if (doors.length !== 1) throw new Error(`The build has ${doors.length} doors to the wallet`);
  const sourcesOf = (file: string): string[] =>
    (
      JSON.parse(readFileSync(join(dist, 'assets', `${file}.map`), 'utf8')) as { sources: string[] }
    ).sources.map((source) => `/${source.replace(/^(?:\.\.\/)+/, '')}`);
  /** A package that is a part by itself is called by its name, not by its folder's. */
  const nameOf = (file: string): string => {
    const name = file.replace(/^wallet-/, '').replace(/-[\w-]{8}\.js$/, '');
    return name === 'dist'
      ? (/\/node_modules\/((?:@[^/]+\/)?[^/]+)\/dist\//.exec(sourcesOf(file).at(-1) ?? '')?.[1] ??
          name)
      : name;
  };
  const without = (files: Set<string>, known: Iterable<string>): Set<string> => {
    const rest = new Set(files);
    for (const one of known) rest.delete(one);
    return rest;
  };
  const panel = without(closure(doors, plain), beforeTheWallet);
  const parts = new Map(
    [...new Set([...panel].flatMap(late))]
      .filter((file) => !beforeTheWallet.has(file) && !panel.has(file))
      .map(
        (file) =>
          [nameOf(file), without(without(closure([file], plain), beforeTheWallet), panel)] as const,
      ),
  );
  return {
    beforeTheWallet,
    panel,
    parts,
    // A chunk that is nothing but names of others has no map.
    walletModules: (files) =>
      [...files]
        .filter((file) => textOf(file).includes('sourceMappingURL='))
        .flatMap((file) =>
          sourcesOf(file)
            .filter((source) => WALLET_SOURCE.test(source))
            .map((source) => `${file}: ${source}`),
        ),
    size: (files) =>
      [...files].reduce(
        (sum, file) =>
          sum +
          brotliCompressSync(textOf(file), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
            .length,
        0,
      ) / 1_024,
  };
}
