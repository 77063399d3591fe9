/** Tells whether the user is still where an action was begun, for answers that come late. */

const address = (): string => `${location.pathname}${location.search}`;

/** Whoever has gone on elsewhere, or to another step, is not taken from there. */
export function samePlace(): () => boolean {
  const from = address();
  return () => address() === from;
}
