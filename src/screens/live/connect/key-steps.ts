/** What the parts of a key are called at each exchange, and why one is not taken, in its words. */
import type { KeyAdvice, KeyFault, LiveExchange } from '../../../../contract/signer.ts';
import { exchangeName } from '../../../format/exchange-names.ts';

/** What the two parts of a key are called, and whether the second has several lines. */
export const KEY_FIELDS: Readonly<
  Record<LiveExchange, { apiKey: string; secret: string; lines: boolean }>
> = {
  kraken: { apiKey: 'API key', secret: 'Private key', lines: false },
  coinbase: { apiKey: 'API key name', secret: 'Private key', lines: true },
  binance: { apiKey: 'API Key', secret: 'Secret Key', lines: false },
};

const list = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(', ');

/** Why a key is not taken, and what to do, in the exchange's words. */
export function faultText(
  fault: KeyFault,
  exchange: LiveExchange,
  advice: KeyAdvice,
  missing: readonly string[] = [],
): string {
  const name = exchangeName(exchange);
  const again = `At ${name}, under ${advice.page}, create a key without ${list(advice.forbid)}. Delete this one.`;
  switch (fault) {
    case 'can_withdraw':
      return `This key can withdraw money, so Tradewind does not take it. ${again}`;
    case 'can_transfer':
      return `This key can move money to other accounts, so Tradewind does not take it. ${again}`;
    case 'cannot_trade':
      return `This key cannot trade. Give it ${list(advice.allow)} at ${name}, under ${advice.page}.`;
    case 'cannot_read':
      return `This key cannot read what agents trade. Give it ${list(missing.length > 0 ? missing : advice.allow)} too at ${name}, under ${advice.page}.`;
    case 'invalid_key':
      return `${name} does not accept this key. Copy both parts again, without spaces. A new key may need a minute before it works.`;
    case 'other_portfolio':
      return 'This key belongs to another portfolio than before. Create one in the portfolio that agents trade.';
    case 'other_account':
      return `This key belongs to another account at ${name}: it shows none of the orders that Tradewind placed. Create one in the account that agents trade, or connect the other account by itself.`;
    case 'account_unproven':
      return `Tradewind has placed no order with the old key, so it cannot tell whether this one belongs to the same account at ${name}. Delete the old key here and connect the account again.`;
  }
}
