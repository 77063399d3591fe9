/** Runs the app's code in parts, so that a finger on the first frame is heard between two of them. */

/** In one go the parts would hold it up for as long as all of them take. */
export async function openApp(): Promise<void> {
  await import('react-dom/client');
  await import('../contract/trading.ts');
  await import('./offline/snapshot-registry.ts');
  await import('./stores/sync.ts');
  await import('./start.tsx');
}
