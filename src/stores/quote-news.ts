/** Says which quotes of the market's board have changed: to those who show one pair, or any. */

type Listener = () => void;

const ofPair = new Map<string, Set<Listener>>();
const ofAny = new Set<Listener>();

/** Returns a function that unsubscribes. */
export function subscribeQuote(symbol: string, listener: Listener): () => void {
  const listeners = ofPair.get(symbol) ?? new Set();
  ofPair.set(symbol, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && ofPair.get(symbol) === listeners) ofPair.delete(symbol);
  };
}

/** Called once for all quotes that changed together. Returns a function that unsubscribes. */
export function subscribeQuotes(listener: Listener): () => void {
  ofAny.add(listener);
  return () => {
    ofAny.delete(listener);
  };
}

export function quotesChanged(symbols: readonly string[]): void {
  if (symbols.length === 0) return;
  for (const symbol of symbols) for (const listener of ofPair.get(symbol) ?? []) listener();
  for (const listener of ofAny) listener();
}
