/** What is said of holdings in an account that is closed here: Tradewind has no key to sell them. */
import { exchangeName } from '../../format/exchange-names.ts';
import type { LiveConnection } from '../../../contract/live-state.ts';

export const closedSentence = (exchange: LiveConnection['exchange']): string =>
  `This account is closed here. You can sell at ${exchangeName(exchange)} itself.`;
