/**
 * The business constants of the product, each with its unit. What a deployment can change is in
 * server/config.ts.
 */

export const SUBSCRIPTION_RECHECK_MS = 5 * 60_000;
export const SESSION_MAX_AGE_MS = 4 * 60 * 60_000;
export const SESSION_NOTICE_MS = 10 * 60_000;
export const TRIAL_WARNING_DAYS = 2;

export const AGENT_NAME_MAX = 100;
export const AGENT_PAIRS_MAX = 20;
export const POSITION_SIZE_MIN = 1;
export const POSITION_SIZE_MAX = 1_000_000;

export const API_ATTEMPTS = 3;
export const API_RETRY_BASE_MS = 1_000;
export const API_RETRY_FACTOR = 2;
export const API_RETRY_MAX_MS = 10_000;
export const SUBSCRIPTION_ATTEMPTS = 1;

export const SANITISED_MAX = 1_000;
export const ERROR_TEXT_MAX = 200;

export const QUERY_FRESH_MS = 5 * 60_000;
export const QUERY_RETRIES = 2;

export const TOASTS_MAX = 20;
export const TOAST_REMOVAL_MS = 1_000;
export const TOAST_PAGE_MS = 4_000;

export const PRELOAD_IDLE_MS = 10_000;
export const PRELOAD_FALLBACK_MS = 2_000;

export const MEMORY_CHECK_MS = 30_000;
export const MEMORY_WARN_RATIO = 0.8;

/** Offline commands (see docs/queue.md). */
export const START_FRESH_MS = 30 * 60_000;
export const START_LAPSE_MS = 24 * 60 * 60_000;
export const SEND_TIMEOUT_MS = 10_000;
/** What comes so much later than its limit was waited for by a device that slept. */
export const ASLEEP_MS = 2_000;
export const OUTBOX_MAX = 500;
export const STOPS_AT_ONCE = 4;
export const BACKOFF_BASE_MS = 1_000;
export const BACKOFF_MAX_MS = 60_000;
export const RECEIPT_KEEP_DAYS = 30;

export const DECISIONS_KEEP_DAYS = 30;
export const HISTORY_LIMIT_DEFAULT = 100;
export const HISTORY_LIMIT_MAX = 1_000;
/** A yearly figure from fewer days than this says more about the days than about the account. */
export const YEARLY_LEAST_DAYS = 30;
/** Days that an account is shown by without `analytics:read`. */
export const ANALYTICS_VIEW_DAYS = 35;
export const CANDLES_LIMIT_MAX = 1_500;
export const SYMBOLS_QUERY_MAX = 200;
/** Price alerts of a person, letters of an alert's note, and firings that a list tells. */
export const ALERTS_MAX = 50;
export const ALERT_NOTE_MAX = 140;
export const ALERT_FIRINGS_TOLD = 100;
/** Pairs that one message of several reached alerts names. */
export const ALERT_PAIRS_NAMED = 6;
/** Firings are kept so long, days; and an alert is looked for in past candles no further back. */
export const ALERT_FIRINGS_KEEP_DAYS = 90;
export const ALERT_LOOK_BACK_DAYS = 7;
/** Stars a person may set. */
export const SYMBOL_CHOICES_MAX = 500;
export const STARTING_DEPOSIT = '10000';

/** How far back a test may go. */
export const BACKTEST_DAYS_MAX = 365;

/** Passkeys that one person may keep. */
export const PASSKEYS_MAX = 20;
