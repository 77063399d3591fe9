/**
 * Which price source this installation uses, stored in its data folder. Only MARKET_SOURCE changes
 * it.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { EXCHANGES, isExchange, type ExchangeId } from '../../contract/exchanges.ts';

export type SourceChoice =
  | { kind: 'simulated' }
  | { kind: 'replay'; folder: string }
  | { kind: 'exchange'; id: ExchangeId };

const FILE = 'market-source.json';

/** @throws Error with what `MARKET_SOURCE` may be. */
export function parseSource(source: string): SourceChoice {
  const name = source.trim();
  if (name === 'simulated') return { kind: 'simulated' };
  if (name.startsWith('replay:') && name.length > 'replay:'.length)
    return { kind: 'replay', folder: resolve(name.slice('replay:'.length)) };
  if (isExchange(name)) return { kind: 'exchange', id: name };
  throw new Error(
    `Unknown MARKET_SOURCE "${name.slice(0, 100)}": use simulated, replay:PATH, ${Object.keys(EXCHANGES).join(', ')}`,
  );
}

/** The name that `parseSource` reads back, paths absolute. */
export function nameOf(choice: SourceChoice): string {
  if (choice.kind === 'replay')
    return `replay:${isAbsolute(choice.folder) ? choice.folder : resolve(choice.folder)}`;
  return choice.kind === 'simulated' ? 'simulated' : choice.id;
}

/**
 * The kept choice, or null at the very first start. @throws Error when the file is there and cannot
 * be understood.
 */
export async function rememberedSource(dataDir: string): Promise<SourceChoice | null> {
  const path = join(dataDir, FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    const kept: unknown = JSON.parse(text);
    if (
      typeof kept === 'object' &&
      kept !== null &&
      'source' in kept &&
      typeof kept.source === 'string'
    )
      return parseSource(kept.source);
    throw new Error('no "source" in it');
  } catch (error) {
    throw new Error(
      `${path} cannot be read (${error instanceof Error ? error.message : String(error)}); set MARKET_SOURCE by name`,
      { cause: error },
    );
  }
}

/** Written aside and renamed, so that a crash leaves the old choice or the new one. */
export async function rememberSource(dataDir: string, choice: SourceChoice): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, FILE);
  await writeFile(`${path}.new`, `${JSON.stringify({ source: nameOf(choice) })}\n`);
  await rename(`${path}.new`, path);
}
