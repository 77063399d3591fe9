/** The one place that writes to the console, at a level; refuses to send anything anywhere. */

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3 } as const;
export type LogLevel = keyof typeof LEVELS;

let threshold: number = LEVELS.info;

const write = (level: LogLevel) => (message: string, ...details: unknown[]): void => {
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
