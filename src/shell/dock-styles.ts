/** The styles of docked notices: a card or one line. */
export const CARD = 'tray-in rounded-lg border border-line bg-surface px-4 py-3 shadow-float';
export const LINE = 'tray-in rounded-lg border border-line bg-surface pl-4 pr-1 shadow-float';
