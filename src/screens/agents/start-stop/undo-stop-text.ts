/** The texts of an offered Undo, in the app and in the demo on the landing page. */

/** The state of the stop, and what Undo would do now. */
export function undoStopText(name: string, stop: 'unsent' | 'sent' | 'stopped'): string {
  if (stop === 'unsent') return `${name}: stop saved, not sent yet.`;
  return stop === 'stopped'
    ? `${name} stopped. Undo starts it again.`
    : `Stop sent. Undo starts ${name} again.`;
}
