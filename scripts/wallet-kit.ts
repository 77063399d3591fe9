/**
 * Build plug-in for the wallet kit: no web fonts, a stylesheet held to its place, our own way to
 * connect, names for its chunks; refuses to touch anything else.
 */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const KIT_STYLES = /@coinbase\/onchainkit\/.*\.css($|\?)/;
/**
 * The addresses carry semicolons inside the quotes, so that a plain "up to the next semicolon" cuts
 * them in two.
 */
const FONT_IMPORT = /@import\s+(?:url\(\s*)?(["'])https?:\/\/[^"']*\1\s*\)?[^;]*;/g;

/**
 * The stylesheet without its imports from other servers: unreachable ones blank the screen,
 * reachable ones tell on us.
 */
export function withoutFontImports(css: string): string {
  return css.replace(FONT_IMPORT, '');
}

const KIT_MODULE = /node_modules\/@coinbase\/onchainkit\/dist\//;
/**
 * What of the kit's own inside is ours instead: its list of wallets brings connectors that this
 * product does not take, and its lines on an address look that address up with others unasked, and
 * its one query brings a whole language's parser.
 */
const STANDING_IN: readonly (readonly [module: RegExp, path: string])[] = [
  [/\/ConnectWallet\.js$/, '../src/wallet/kit/kit-connect.tsx'],
  [/\/NFT(Creator|Owner)\.js$/, '../src/wallet/nft/nft-parties.tsx'],
  [/\/network\/attestations\.js$/, '../src/wallet/identity/attestations.ts'],
];

/**
 * Roots of what the kit draws: our frame around it, and its own theme on what it lays over the
 * page.
 */
const KIT_ROOTS =
  '.wallet-kit, .tradewind-light, .tradewind-dark, .default-light, .default-dark, .base-light, .base-dark, .cyberpunk, .hacker';
/** One level of braces inside is all that key frames have. */
const KEYFRAMES = /@(?:-webkit-)?keyframes [^{]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g;

/**
 * The kit brings a reset of its own and names its classes as we do: held to its roots, it changes
 * nothing else, also after it was left.
 */
export function heldToKit(css: string): string {
  const frames = css.match(KEYFRAMES) ?? [];
  return `${frames.join('')}@layer base{@scope (${KIT_ROOTS}){${css.replace(KEYFRAMES, '')}}}`;
}

export function walletKit(): Plugin {
  return {
    name: 'tradewind-wallet-kit',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined || !KIT_MODULE.test(importer)) return null;
      const found = STANDING_IN.find(([module]) => module.test(source));
      return found === undefined ? null : fileURLToPath(new URL(found[1], import.meta.url));
    },
    transform(code, id) {
      return KIT_STYLES.test(id) ? { code: heldToKit(withoutFontImports(code)), map: null } : null;
    },
  };
}

/**
 * The kit imports half of itself beside what a part of it uses, and does not say that those modules
 * do nothing by being loaded.
 */
export const KIT_SIDE_EFFECTS = [
  { test: /node_modules\/@coinbase\/onchainkit\/dist\/.*\.js$/, sideEffects: false },
];

const WALLET_MODULE =
  /\/node_modules\/(@coinbase|@base-org|cbw-sdk|wagmi|@wagmi|viem|ox|abitype|@noble|mipd|preact|@tanstack|graphql-request|@farcaster)\/|\/src\/wallet\/(?!connect\/remembered-wallet)/;
/**
 * What the shell and the other screens are made of: a chunk with any of it is theirs too. Packages
 * have folders called src as well.
 */
const SHARED_MODULE =
  /^(?!.*\/node_modules\/).*(\/src\/(?!wallet\/)|\/src\/wallet\/connect\/remembered-wallet|\/contract\/)|\/node_modules\/(react|react-dom|valtio|wouter|zod|sonner|lucide-react|firebase|@firebase)\//;

/**
 * A chunk that only the wallet needs is called `wallet-…`, which keeps it out of what is stored for
 * offline use.
 */
export function walletChunkName(chunk: { name: string; moduleIds: readonly string[] }): string {
  const wallet =
    chunk.moduleIds.some((id) => WALLET_MODULE.test(id)) &&
    !chunk.moduleIds.some((id) => SHARED_MODULE.test(id));
  return wallet && !chunk.name.startsWith('wallet-')
    ? 'assets/wallet-[name]-[hash].js'
    : 'assets/[name]-[hash].js';
}
