/** The way to the stand-in without a socket: answers, cut connections and given-up requests as over HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { StandIn } from '../support/exchange/stand-in.ts';

let standIn: StandIn | null = null;
afterEach(async () => {
  await standIn?.close();
  standIn = null;
});

/** Gives up at once what is held. */
async function open(way: 'http' | 'in process', onHold?: () => void) {
  const one = new StandIn({
    dialect: 'binance',
    accounts: [{ name: 'main', balances: { USDT: '100' } }],
    ...(onHold === undefined ? {} : { onHold }),
  });
  standIn = one;
  if (way === 'http') await one.listen();
  const ask = way === 'http' ? fetch : one.fetch;
  const { apiKey } = one.issueKey('main');
  const balances = (signal?: AbortSignal): Promise<Response> =>
    ask(`${one.url}/api/v3/account?timestamp=1`, {
      headers: { 'X-MBX-APIKEY': apiKey },
      ...(signal === undefined ? {} : { signal }),
    });
  return { one, ask, balances };
}

describe.each(['http', 'in process'] as const)('%s', (way) => {
  it('an answer has its status, its headers and its body', async () => {
    const { one, ask } = await open(way);
    const reply = await ask(`${one.url}/api/v3/time`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch('application/json');
    expect(await reply.json()).toEqual({ serverTime: one.clock.now() });
    expect((await ask(`${one.url}/nowhere`)).status).toBe(404);
  });

  it('a cut connection is an error, and its answer was not delivered', async () => {
    const { one, balances } = await open(way);
    one.faults.strike({ name: 'drop-response' });
    await expect(balances()).rejects.toThrow(TypeError);
    expect(one.journal.of('answer')).toMatchObject([{ status: 0, delivered: false }]);
  });

  it('a request that is given up ends with the reason, and what comes later goes nowhere', async () => {
    const controller = new AbortController();
    const { one, balances } = await open(way, () => {
      setTimeout(() => {
        controller.abort(new DOMException('late', 'TimeoutError'));
      }, 20);
    });
    one.faults.strike({ name: 'slow-answer', holdMs: 60_000 });
    await expect(balances(controller.signal)).rejects.toMatchObject({ name: 'TimeoutError' });
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    await one.advance(60_000);
    expect(one.journal.of('answer')).toMatchObject([{ fault: 'slow-answer', delivered: false }]);
    await expect(balances(controller.signal)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('a fault waits for a request that is let in: during maintenance it is not used up', async () => {
    const { one, balances } = await open(way);
    one.faults.strike({ name: 'maintenance', forMs: 1_000 });
    one.faults.strike({ name: 'garbage', effect: 'none' });
    expect((await balances()).status).toBe(503);
    expect(one.faults.isSpent).toBe(false);
    await one.advance(1_000);
    expect(await (await balances()).text()).toContain('<!doctype html>');
    expect(one.faults.isSpent).toBe(true);
    expect(one.journal.of('fault').map(({ name }) => name)).toEqual(['maintenance', 'garbage']);
  });
});
