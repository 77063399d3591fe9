/** Fetches and runs the app's code in parts, so that a finger on the first frame is heard between two of them. */

/** In one go the parts would hold it up for as long as all of them take. */
export async function openApp(): Promise<void> {
  await import('react-dom/client');
  await import('./stores/sync.ts');
  await import('./start.tsx');
}

/** The links to the parts, in the page's own file; see `scripts/start-chunks.ts`. */
const PARTS = 'start-parts';

/** Has the parts fetched side by side. Before the first frame they would take its turn. */
export function fetchParts(): void {
  const list = document.getElementById(PARTS);
  if (list instanceof HTMLTemplateElement) document.head.append(list.content);
}
