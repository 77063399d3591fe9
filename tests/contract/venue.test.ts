/** Facts of an exchange keep every digit on their way through a socket, and bad ones are refused. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseFixed } from '../../contract/money.ts';
import { PlaceOutcome, VenueFill, VenueOrder } from '../../contract/venue.ts';

const fill: VenueFill = {
  tradeId: 'T1',
  exchangeOrderId: 'O1',
  clientOrderId: null,
  symbol: 'BTC/USD',
  side: 'buy',
  quantity: parseFixed('0.123456789012'),
  price: parseFixed('67123.45'),
  quoteAmount: parseFixed('8286.815'),
  fees: [{ asset: 'BNB', amount: parseFixed('-0.000000000001') }],
  atMs: 1,
};

describe('what an exchange says', () => {
  it('is text on the wire and exact on both sides', () => {
    const wire = JSON.stringify(z.encode(VenueFill, fill));
    expect(wire).toContain('"quantity":"0.123456789012"');
    expect(z.parse(VenueFill, JSON.parse(wire))).toEqual(fill);
  });

  it.each([
    ['a float', { quantity: 0.5 }],
    ['an exponent', { quantity: '1e-8' }],
    ['nothing filled', { quantity: '0' }],
    ['a negative price', { price: '-1' }],
    ['a pair without a quote', { symbol: 'BTC' }],
  ])('is refused with %s', (_, wrong) => {
    expect(z.safeParse(VenueFill, { ...z.encode(VenueFill, fill), ...wrong }).success).toBe(false);
  });

  it('may name a pair by digits or another script', () => {
    for (const symbol of ['1INCH/USDT', '币安人生/USDT', 'ETH2.S/USD'])
      expect(z.safeParse(VenueOrder.shape.symbol, symbol).success).toBe(true);
  });

  it('has no outcome besides the four, and an unlisted code is an unknown one', () => {
    const unknown = { kind: 'unknown', cause: 'unlisted:EService:Busy' };
    expect(z.parse(PlaceOutcome, unknown)).toEqual(unknown);
    expect(z.safeParse(PlaceOutcome, { kind: 'unknown', cause: 'maybe' }).success).toBe(false);
    expect(z.safeParse(PlaceOutcome, { kind: 'failed' }).success).toBe(false);
  });
});
