/**
 * A push address the browser has changed: what the server is told, and what is left to the page.
 */
import { describe, expect, it } from 'vitest';
import { DEFAULT_PUSH_SETTINGS } from '../../contract/push.ts';
import { renewAddress, type AddressPort } from '../../sw/push-address.ts';

const address = (name: string) =>
  ({
    endpoint: `https://push.example/${name}`,
    toJSON: () => ({
      endpoint: `https://push.example/${name}`,
      expirationTime: null,
      keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) },
    }),
  }) as unknown as PushSubscription;

function port(
  part: Partial<AddressPort> & { allowed?: boolean } = {},
): AddressPort & { calls: [string, string | null, unknown][] } {
  const calls: [string, string | null, unknown][] = [];
  return {
    calls,
    baseUrl: 'https://api.example',
    token: () => Promise.resolve({ token: 'T' }),
    registration: {
      pushManager: {
        subscribe: () =>
          part.allowed === false
            ? Promise.reject(new DOMException('no', 'NotAllowedError'))
            : Promise.resolve(address('made')),
        getSubscription: () => Promise.resolve(null),
      } as unknown as PushManager,
    },
    fetch: (input, init) => {
      const { data } = JSON.parse(init?.body as string) as {
        data: { subscription?: { endpoint: string }; endpoint?: string };
      };
      calls.push([
        new URL(input as string).pathname,
        new Headers(init?.headers).get('authorization'),
        data.subscription?.endpoint ?? data.endpoint ?? null,
      ]);
      return Promise.resolve(
        Response.json({
          result: { settings: DEFAULT_PUSH_SETTINGS, publicKey: 'BPk', devices: 1 },
        }),
      );
    },
    ...part,
  };
}

describe('a changed push address', () => {
  it('that came with the news is told as the worker’s own person, and the old one is given up after it', async () => {
    const to = port();
    expect(
      await renewAddress({ oldSubscription: address('old'), newSubscription: address('new') }, to),
    ).toBe('renewed');
    expect(to.calls).toEqual([
      ['/callable/registerPush', 'Bearer T', 'https://push.example/new'],
      ['/callable/unregisterPush', 'Bearer T', 'https://push.example/old'],
    ]);
  });

  it('that is to be made is made with the server’s key of today', async () => {
    const to = port();
    expect(await renewAddress({}, to)).toBe('renewed');
    expect(to.calls.map(([path, , endpoint]) => [path, endpoint])).toEqual([
      ['/callable/pushSettings', null],
      ['/callable/registerPush', 'https://push.example/made'],
    ]);
  });

  it('that cannot be had any more is taken off the server, so that nothing is sent to nowhere', async () => {
    const to = port({ allowed: false });
    expect(await renewAddress({ oldSubscription: address('old'), newSubscription: null }, to)).toBe(
      'gone',
    );
    expect(to.calls.at(-1)).toEqual([
      '/callable/unregisterPush',
      'Bearer T',
      'https://push.example/old',
    ]);
  });

  it('is left to the page where nobody is signed in, and where the server does not answer nothing is given up', async () => {
    const nobody = port({ token: () => Promise.resolve(null) });
    expect(
      await renewAddress(
        { oldSubscription: address('old'), newSubscription: address('new') },
        nobody,
      ),
    ).toBe('left');
    expect(nobody.calls).toEqual([]);
    const down = port({ fetch: () => Promise.resolve(new Response('', { status: 503 })) });
    await expect(
      renewAddress({ oldSubscription: address('old'), newSubscription: address('new') }, down),
    ).rejects.toThrow('registerPush: 503');
  });
});
