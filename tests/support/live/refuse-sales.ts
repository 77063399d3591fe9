/** Lets the signer refuse sales at market until it is told otherwise. */
import type { SignerPort } from '../../../server/live/live-deps.ts';
import type { LiveWorld } from './live-world.ts';

/** `count`: how many it has refused. */
export function refuseSales({ deps }: LiveWorld): { count: number; stop: () => void } {
  const { signer } = deps;
  const refused = {
    count: 0,
    stop: () => {
      deps.signer = signer;
    },
  };
  const port: SignerPort = {
    ask: async (ask) => {
      const question: { act: string; intent?: { side: string; type: string } } = ask;
      if (question.intent?.side !== 'sell' || question.intent.type !== 'market')
        return signer.ask(ask);
      refused.count += 1;
      const refusal = { kind: 'refused', by: 'signer', code: 'price_collar', detail: '' } as const;
      return refusal as unknown as Awaited<ReturnType<typeof signer.ask<typeof ask.act>>>;
    },
  };
  deps.signer = port;
  return refused;
}
