/** Has the build make every `import()` of the page by the app's own loader in place of Vite's. */
import type { Plugin } from 'vite';

const VITES_LOADER = /^\0vite\/preload-helper\.js$/;

export function partLoader(root: string): Plugin {
  return {
    name: 'tradewind-part-loader',
    apply: 'build',
    enforce: 'pre',
    load: {
      filter: { id: VITES_LOADER },
      handler: () =>
        `export { loadPart as __vitePreload } from ${JSON.stringify(`${root}/src/platform/load-part.ts`)};`,
    },
  };
}

/**
 * The files of a part, its own among them. Vite leaves out a part's own file where that is its only
 * one, and what the page begins with is here already.
 */
export const filesOf = (
  own: string,
  imported: readonly string[],
  isHere: (file: string) => boolean,
): string[] => [...new Set([own, ...imported])].filter((file) => !isHere(file));
