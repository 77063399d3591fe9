/** How names of push services are looked up: by questions of our own, and nothing private. */
import type * as Dns from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postPush } from '../../../server/push/post-push.ts';
import { publicLookup, pushAgent } from '../../../server/push/endpoint.ts';
import { startNameServer, type NameServer } from '../../support/name-server.ts';

const { threads } = vi.hoisted(() => ({
  threads: vi.fn((_name: string, _options: unknown, done: (error: Error) => void) => {
    done(new Error('No thread is free'));
  }),
}));
vi.mock('node:dns', async (original) => ({
  ...(await original<typeof Dns>()),
  lookup: threads,
}));

const PUBLIC_V4 = '142.250.1.1';
const PUBLIC_V6 = '2a00:1450:4001::1';

let names: NameServer;
beforeAll(async () => {
  names = await startNameServer({
    'both.push.com': { v4: [PUBLIC_V4], v6: [PUBLIC_V6] },
    'six.push.com': { v6: [PUBLIC_V6] },
    'mixed.push.com': { v4: ['10.0.0.8', PUBLIC_V4], v6: ['fd00::1', '::1'] },
    'inside.push.com': { v4: ['127.0.0.1', '169.254.169.254'], v6: ['::1'] },
    'silent.push.com': 'silent',
  });
});
afterAll(() => names.close());

const look = (hostname: string, options: { all?: boolean; family?: number }): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const lookup = publicLookup(() => {
      const resolver = new Resolver({ timeout: 100, tries: 1 });
      resolver.setServers([names.address]);
      return resolver;
    });
    lookup(hostname, options, (error, address: string | Dns.LookupAddress[], family) => {
      if (error === null) resolve(Array.isArray(address) ? address : { address, family });
      else reject(error);
    });
  });

describe('the name of a push service', () => {
  it('is never looked up in the threads that the database’s own name needs (F97)', async () => {
    const agent = pushAgent(false);
    await Promise.all(
      Array.from({ length: 10 }, (_none, n) =>
        expect(
          postPush(
            {
              endpoint: `https://push-${n}.invalid/x`,
              method: 'POST',
              headers: {},
              body: null,
            },
            agent,
            200,
          ),
        ).rejects.toThrow(),
      ),
    );
    agent.destroy();
    expect(threads).not.toHaveBeenCalled();
  });

  it('leads to its public addresses, IPv4 first', async () => {
    const v4 = { address: PUBLIC_V4, family: 4 };
    const v6 = { address: PUBLIC_V6, family: 6 };
    expect(await look('both.push.com', { all: true })).toEqual([v4, v6]);
    expect(await look('both.push.com', {})).toEqual(v4);
    expect(await look('both.push.com', { family: 6 })).toEqual(v6);
    expect(await look('six.push.com', { all: true })).toEqual([v6]);
  });

  it('leads to no address of a private network (F53)', async () => {
    expect(await look('mixed.push.com', { all: true })).toEqual([
      { address: PUBLIC_V4, family: 4 },
    ]);
    for (const options of [{ all: true }, {}])
      await expect(look('inside.push.com', options)).rejects.toMatchObject({ code: 'EPRIVATE' });
  });

  it('fails where there is no such name, and in time where its name server keeps silent', async () => {
    await expect(look('nobody.push.com', { all: true })).rejects.toMatchObject({ code: 'ENODATA' });
    const from = Date.now();
    await expect(look('silent.push.com', { all: true })).rejects.toMatchObject({
      code: 'ETIMEOUT',
    });
    expect(Date.now() - from).toBeLessThan(2_000);
  });
});
