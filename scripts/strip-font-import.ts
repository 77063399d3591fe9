/** Build plug-in for the wallet kit: no web fonts, and names for its chunks; refuses to touch any other stylesheet. */
import type { Plugin } from 'vite';

const KIT_STYLES = /@coinbase\/onchainkit\/.*\.css($|\?)/;
/** The addresses carry semicolons inside the quotes, so that a plain "up to the next semicolon" cuts them in two. */
const FONT_IMPORT = /@import\s+(?:url\(\s*)?(["'])https?:\/\/[^"']*\1\s*\)?[^;]*;/g;

/** The stylesheet without its imports from other servers: unreachable ones blank the screen, reachable ones tell on us. */
export function withoutFontImports(css: string): string {
  return css.replace(FONT_IMPORT, '');
}

export function stripFontImports(): Plugin {
  return {
    name: 'tradewind-strip-font-imports',
    enforce: 'pre',
    // The kit brings a reset of its own: outside a layer it would win over every style of the app.
    transform(code, id) {
      return KIT_STYLES.test(id) ? { code: `@layer base{${withoutFontImports(code)}}`, map: null } : null;
    },
  };
}

const WALLET_MODULE = /\/node_modules\/(@coinbase|@base-org|cbw-sdk|wagmi|@wagmi|viem|ox|abitype|@noble|mipd|preact|@tanstack|graphql-request|@farcaster)\/|\/src\/wallet\/(?!remembered)/;
/** What the shell and the other screens are made of: a chunk with any of it is theirs too. Packages have folders called src as well. */
const SHARED_MODULE = /^(?!.*\/node_modules\/).*(\/src\/(?!wallet\/)|\/src\/wallet\/remembered|\/contract\/)|\/node_modules\/(react|react-dom|valtio|wouter|zod|sonner|lucide-react|firebase|@firebase)\//;

/** A chunk that only the wallet needs is called `wallet-…`, which keeps it out of what is stored for offline use. */
export function walletChunkName(chunk: { name: string; moduleIds: readonly string[] }): string {
  const wallet = chunk.moduleIds.some((id) => WALLET_MODULE.test(id)) && !chunk.moduleIds.some((id) => SHARED_MODULE.test(id));
  return wallet && !chunk.name.startsWith('wallet-') ? 'assets/wallet-[name]-[hash].js' : 'assets/[name]-[hash].js';
}
