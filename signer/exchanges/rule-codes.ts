/** With what exchanges reject an order because step, tick, least size or pair are others than we know. */

const AGAINST_RULES: ReadonlySet<string> = new Set([
  // Kraken
  'EOrder:Order minimum not met',
  'EOrder:Cost minimum not met',
  'EOrder:Tick size check failed',
  'EOrder:Invalid price',
  'EGeneral:Unknown asset pair',
  'EQuery:Unknown asset pair',
  'EQuery:Invalid asset pair',
  'EQuery:Unknown asset',
  // Coinbase
  'INVALID_ARGUMENT',
  'INVALID_PRODUCT_ID',
  'INVALID_SIZE_PRECISION',
  'INVALID_PRICE_PRECISION',
  'INVALID_LIMIT_PRICE',
  'PREVIEW_INVALID_BASE_SIZE_TOO_LARGE',
  'PREVIEW_INVALID_BASE_SIZE_TOO_SMALL',
  'PREVIEW_INVALID_QUOTE_SIZE_PRECISION',
  'PREVIEW_INVALID_QUOTE_SIZE_TOO_LARGE',
  'PREVIEW_INVALID_QUOTE_SIZE_TOO_SMALL',
  'PREVIEW_INVALID_LIMIT_PRICE',
  'PREVIEW_INVALID_PRICE_PRECISION',
  'PREVIEW_INVALID_PRODUCT_ID',
  'PREVIEW_INVALID_SIZE_PRECISION',
  'PREVIEW_INVALID_STOP_PRICE',
  // Binance: a filter, precision, the pair.
  '-1013',
  '-1111',
  '-1121',
]);
/** Kraken names the argument behind them. */
const PREFIXES = ['EGeneral:Invalid arguments', 'EOrder:Invalid price:'];

export const isAgainstRules = (code: string): boolean =>
  AGAINST_RULES.has(code) || PREFIXES.some((prefix) => code.startsWith(prefix));
