/** The kept exchange accounts. What is in them is read by `src/stores/live-store.ts`. */
import type { KeptExchanges } from '../kept-exchanges.ts';
import { ownSnapshot } from '../snapshot-kind.ts';

export const exchanges = ownSnapshot<KeptExchanges>();
