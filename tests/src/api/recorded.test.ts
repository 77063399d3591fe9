// @vitest-environment happy-dom
/** The recording: every reply is the contract's, and its money adds up. */
import { describe, expect, it } from 'vitest';
import { CALLS, type CallName } from '../../../contract/calls.ts';
import { add, formatFixed, parseFixed } from '../../../contract/money.ts';
import { createApi } from '../../../src/api/client.ts';
import { recordedFetch } from '../../../src/api/recorded.ts';
import { recordedReplies, recordState } from '../../../src/api/recorded-replies.ts';

const api = createApi({
  baseUrl: '',
  fetch: recordedFetch,
  token: () => Promise.resolve('x'),
  wait: () => Promise.resolve(),
});

describe('recorded replies', () => {
  it('stand in for every reading of the contract, without a server (R3-29)', async () => {
    const readings = (Object.keys(CALLS) as CallName[]).filter(
      (name) => CALLS[name].method === 'GET',
    );
    expect(readings.length).toBeGreaterThan(15);
    for (const name of readings) {
      const params = CALLS[name].path.includes(':id') ? { id: 'recorded-harbour' } : {};
      await expect(api.call(name, { params } as never), name).resolves.toBeTruthy();
    }
  });

  it('add up: equity is cash and positions', () => {
    const { portfolio } = recordedReplies(recordState(0), 0);
    if (portfolio === undefined) throw new Error('No portfolio is recorded');
    expect(formatFixed(add(parseFixed(portfolio.cash), parseFixed(portfolio.positionsValue)))).toBe(
      portfolio.equity,
    );
  });

  it('link and unlink an address in the recording alone', async () => {
    const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    await expect(
      api.call('linkAddress', { body: { message: 'x', signature: '0x00' }, attempts: 1 }),
    ).rejects.toThrow('A recording cannot do this');
    const { message } = await api.call('linkMessage', { body: { address, chainId: 84_532 } });
    expect(message).toContain('Nothing is linked');
    const { link } = await api.call('linkAddress', {
      body: { message, signature: '0x00', label: 'Cold box' },
    });
    expect((await api.call('walletStatus', {})).links).toEqual([link]);
    await api.call('unlinkAddress', { params: { id: link.id } });
    expect((await api.call('walletStatus', {})).linkedAddresses).toEqual([]);
    const quote = {
      purchaseCurrency: 'USDC',
      paymentCurrency: 'USD',
      paymentMethod: 'CARD',
      paymentAmount: '100',
      country: 'US',
    };
    expect(await api.call('onrampQuote', { body: quote })).toMatchObject({
      purchaseAmount: { value: '100' },
    });
  });

  it('change for commands, and refuse what a recording cannot do', async () => {
    await expect(
      api.call('stopAgent', { params: { id: 'recorded-harbour' }, body: {} }),
    ).resolves.toMatchObject({ outcome: 'stopped', agent: { status: 'stopped' } });
    const { agents } = await api.call('agents', {});
    expect(agents.find(({ id }) => id === 'recorded-harbour')?.status).toBe('stopped');
    await expect(api.call('resetPaper', { attempts: 1 })).rejects.toThrow(
      'A recording cannot do this',
    );
    await expect(api.call('agentPerformance', { params: { id: 'nobody' } })).rejects.toThrow(
      'API Error: 404',
    );
  });
});
