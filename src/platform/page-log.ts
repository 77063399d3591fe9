/** The only module that writes to the console, by log level. It sends nothing anywhere. */

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3 } as const;
export type LogLevel = keyof typeof LEVELS;

let threshold: number = LEVELS.info;

/** Kept so that the user can include them in a support request. */
const RECENT_MAX = 8;
const recent: { at: number; text: string }[] = [];

function remember(message: string, details: readonly unknown[]): void {
  const [cause] = details;
  recent.push({
    at: Date.now(),
    text:
      cause === undefined
        ? message
        : `${message}: ${cause instanceof Error ? cause.message : typeof cause === 'string' ? cause : typeof cause}`,
  });
  recent.splice(0, recent.length - RECENT_MAX);
}

/** The last errors of this page, oldest first. */
export const recentErrors = (): readonly { at: number; text: string }[] => recent;

const write =
  (level: LogLevel) =>
  (message: string, ...details: unknown[]): void => {
    if (level === 'error') remember(message, details);
    if (LEVELS[level] < threshold) return;
    console[level](message, ...details);
  };

export const log = {
  debug: write('debug'),
  info: write('info'),
  warn: write('warn'),
  error: write('error'),
  /** Drops everything below `level` from now on. */
  setLevel(level: LogLevel): void {
    threshold = LEVELS[level];
  },
};
