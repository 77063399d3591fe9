/**
 * The message that links an address: for which hosts there is one, and that it names what it is
 * for.
 */
import { describe, expect, it } from 'vitest';
import { parseSiweMessage } from 'viem/siwe';
import { checkedAddress, makeMessage } from '../../../server/wallet/siwe.ts';

const ADDRESS = checkedAddress('0x00000000000000000000000000000000000000ab');
const made = (origin: string) => makeMessage(origin, 'ann', ADDRESS, 84_532, Date.UTC(2026, 0, 5));

describe('the message to sign', () => {
  it.each([
    'https://trade.example.com',
    'http://localhost:8787',
    'http://127.0.0.1:8787',
    'https://xn--bcher-kva.example',
  ])('names the host and page of %s', (origin) => {
    const { message } = made(origin);
    expect(parseSiweMessage(message)).toMatchObject({
      domain: new URL(origin).host,
      uri: `${origin}/trading`,
      chainId: 84_532,
      address: ADDRESS,
    });
    expect(message).not.toContain('ann');
  });

  it.each(['http://[::1]:8787', 'http://tradewind:8787'])(
    'cannot be made for %s, and that is said instead of failing',
    (origin) => {
      expect(() => made(origin)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          message: `Addresses cannot be linked while Tradewind is served as ${new URL(origin).host}: a wallet signs for a domain, an IPv4 address or localhost.`,
        }) as Error,
      );
    },
  );
});
