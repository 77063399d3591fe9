/** The portfolio as the server last said it. Nothing here adds anything up by itself. */
import { replyStore } from './reply-store.ts';

export const {
  slot: portfolioStore,
  apply: applyPortfolio,
  load: loadPortfolio,
  clear: clearPortfolio,
} = replyStore('portfolio');
