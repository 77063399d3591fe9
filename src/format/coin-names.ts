/**
 * What a coin is called beside its symbol, for reading and searching; refuses to guess one it does
 * not know.
 */

const NAMES: Readonly<Record<string, string>> = {
  AAVE: 'Aave',
  ADA: 'Cardano',
  AERO: 'Aerodrome',
  ALGO: 'Algorand',
  APT: 'Aptos',
  ARB: 'Arbitrum',
  ATOM: 'Cosmos',
  AVAX: 'Avalanche',
  BCH: 'Bitcoin Cash',
  BNB: 'BNB',
  BRETT: 'Brett',
  BTC: 'Bitcoin',
  BUSD: 'Binance USD',
  COMP: 'Compound',
  CRV: 'Curve',
  DAI: 'Dai',
  DEGEN: 'Degen',
  DOGE: 'Dogecoin',
  DOT: 'Polkadot',
  ETC: 'Ethereum Classic',
  ETH: 'Ethereum',
  FDUSD: 'First Digital USD',
  FIL: 'Filecoin',
  GUSD: 'Gemini Dollar',
  LINK: 'Chainlink',
  LTC: 'Litecoin',
  MATIC: 'Polygon',
  MORPHO: 'Morpho',
  NEAR: 'NEAR',
  OP: 'Optimism',
  POL: 'Polygon',
  PYUSD: 'PayPal USD',
  SHIB: 'Shiba Inu',
  SNX: 'Synthetix',
  SOL: 'Solana',
  SUI: 'Sui',
  SUSHI: 'Sushi',
  TOSHI: 'Toshi',
  TRX: 'Tron',
  TUSD: 'TrueUSD',
  UNI: 'Uniswap',
  USDC: 'USD Coin',
  USDP: 'Pax Dollar',
  USDS: 'USDS',
  USDT: 'Tether',
  VIRTUAL: 'Virtuals',
  WELL: 'Moonwell',
  XLM: 'Stellar',
  XRP: 'XRP',
  YFI: 'yearn.finance',
  ZORA: 'Zora',
};

/** `Bitcoin` of `BTC`; null where no name is known, or it says no more than the symbol. */
export function coinName(base: string): string | null {
  const name = NAMES[base];
  return name === undefined || name.toUpperCase() === base ? null : name;
}
