/** The texts of an offered Undo, in the app and in the demo on the landing page. */

/** The state of the stop, and what Undo would do now. `live`: with real money it starts nothing alone. */
export function undoStopText(
  name: string,
  stop: 'unsent' | 'sent' | 'stopped',
  live = false,
): string {
  if (stop === 'unsent') return `${name}: stop saved, not sent yet.`;
  const again = live ? 'again needs your confirmation' : 'again';
  const start = live ? 'Starting' : 'Undo starts';
  return stop === 'stopped'
    ? `${name} stopped. ${start} it ${again}.`
    : `Stop sent. ${start} ${name} ${again}.`;
}
