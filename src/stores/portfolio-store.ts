/** The portfolio as the server last reported it. */
import { replyStore } from './reply-store.ts';

export const {
  slot: portfolioStore,
  apply: applyPortfolio,
  load: loadPortfolio,
  clear: clearPortfolio,
} = replyStore('portfolio');
