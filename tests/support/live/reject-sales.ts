/** An exchange that turns sales at market down for a reason that lasts. */
import { vi } from 'vitest';
import type { SignerAsk } from '../../../contract/signer.ts';
import type { LiveWorld } from './live-world.ts';

/** How many sales were tried. It lasts until the mocks are restored. */
export function rejectSales({ deps: { signer } }: LiveWorld): { count: number } {
  const tried = { count: 0 };
  const ask = signer.ask.bind(signer) as (asked: SignerAsk) => Promise<never>;
  vi.spyOn(signer, 'ask').mockImplementation((asked: SignerAsk) => {
    const isSale =
      asked.act === 'place' && asked.intent.side === 'sell' && asked.intent.type === 'market';
    if (isSale) tried.count += 1;
    const rejected = { kind: 'rejected', code: 'EOrder:Order minimum not met', message: '' };
    return isSale ? Promise.resolve(rejected as never) : ask(asked);
  });
  return tried;
}
