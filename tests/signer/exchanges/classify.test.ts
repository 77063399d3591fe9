/** What each exchange's codes prove: only listed ones are a rejection, everything else is unknown. */
import { describe, expect, it } from 'vitest';
import { judgeBinance } from '../../../signer/exchanges/binance/classify.ts';
import { judgeCoinbase } from '../../../signer/exchanges/coinbase/classify.ts';
import type { RawReply } from '../../../signer/exchanges/door.ts';
import { judgeKraken } from '../../../signer/exchanges/kraken/classify.ts';
import type { Verdict } from '../../../signer/exchanges/verdict.ts';
import fc from '../../support/property.ts';

const reply = (body: unknown, status = 200): RawReply => ({ status, headers: new Headers(), body });
const short = (verdict: Verdict): string =>
  verdict.kind === 'unknown'
    ? verdict.cause
    : 'code' in verdict
      ? `${verdict.kind} ${verdict.code}`
      : verdict.kind;
const kraken = (...error: string[]): string => short(judgeKraken(reply({ error })));
const coinbase = (inner: object, status = 200): string =>
  short(judgeCoinbase(reply({ success: false, error_response: inner }, status)));
const binance = (code: number, msg = '', status = 400): string =>
  short(judgeBinance(reply({ code, msg }, status)));

describe('every exchange', () => {
  const judges = { kraken: judgeKraken, coinbase: judgeCoinbase, binance: judgeBinance };
  it.each(Object.entries(judges))('%s: a 5xx, with or without JSON, is unknown', (_name, judge) => {
    for (const status of [500, 502, 503, 504, 520, 522])
      for (const body of [undefined, {}, { error: ['EOrder:Insufficient funds'] }, { code: -1013 }])
        expect(short(judge(reply(body, status)))).toBe('server_error');
  });

  it.each(Object.entries(judges))('%s: 200 with garbage is unknown', (_name, judge) => {
    for (const body of [undefined, null, 'ok', 7])
      expect(short(judge(reply(body)))).toBe('unreadable');
  });

  it.each(Object.entries(judges))('%s: no code that is made up is a rejection', (_name, judge) => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.integer({ min: -99_999, max: -3_000 }),
        (text, code) => {
          const body = {
            error: [`EOther:${text}`],
            code,
            success: false,
            msg: text,
            message: text,
          };
          const shaped = judge === judgeCoinbase ? { ...body, error: `X${text}` } : body;
          expect(['unknown', 'duplicate']).toContain(judge(reply(shaped, 400)).kind);
        },
      ),
    );
  });
});

describe('429, with which nothing was carried out', () => {
  const bodies = [undefined, 'Too Many Requests', {}, { error: ['EOther:new'] }, { error: 'new' }];
  it.each(bodies)('is a rejection at Kraken and at Coinbase, whatever stands in it: %j', (body) => {
    for (const judge of [judgeKraken, judgeCoinbase])
      expect(short(judge(reply(body, 429)))).toBe('rejected http_429');
  });

  it('has its own code where that is listed', () => {
    const body = { error: ['EAPI:Rate limit exceeded'] };
    expect(short(judgeKraken(reply(body, 429)))).toBe('rejected EAPI:Rate limit exceeded');
  });

  it('with a result beside it proves nothing', () => {
    const result = { error: [], result: { txid: ['O1'] } };
    expect(short(judgeKraken(reply(result, 429)))).toBe('answered');
    expect(short(judgeCoinbase(reply({ success: true }, 429)))).toBe('unlisted:no_code');
  });
});

describe('Kraken', () => {
  it('answers with a result, warnings beside it or not', () => {
    expect(short(judgeKraken(reply({ error: [], result: {} })))).toBe('answered');
    expect(short(judgeKraken(reply({ error: ['WGeneral:Slow'], result: {} })))).toBe('answered');
    expect(short(judgeKraken(reply({ error: [] })))).toBe('unreadable');
  });

  it.each([
    ['EOrder:Insufficient funds', 'rejected EOrder:Insufficient funds'],
    ['EService:Deadline elapsed', 'rejected EService:Deadline elapsed'],
    ['EService:Market in cancel_only mode', 'rejected EService:Market in cancel_only mode'],
    ['EAPI:Invalid key', 'key EAPI:Invalid key'],
    ['EGeneral:Permission denied', 'key EGeneral:Permission denied'],
    ['EOrder:Duplicate client order id', 'duplicate'],
    ['EGeneral:Invalid arguments:cl_ord_id already in use', 'duplicate'],
    [
      'EAccount:Invalid permissions:USDT trading restricted for DE.',
      'rejected EAccount:Invalid permissions:USDT trading restricted for DE.',
    ],
    ['EAccount:Invalid permissions', 'rejected EAccount:Invalid permissions'],
    ['EGeneral:Invalid arguments:oflags', 'rejected EGeneral:Invalid arguments:oflags'],
    // It may speak of an order that exists.
    ['EGeneral:Invalid arguments:cl_ord_id', 'unlisted:EGeneral:Invalid arguments:cl_ord_id'],
    ['EAccount:Other', 'unlisted:EAccount:Other'],
    ['EAccount:Invalid permissionsX', 'unlisted:EAccount:Invalid permissionsX'],
    ['EGeneral:Invalid', 'unlisted:EGeneral:Invalid'],
    ['EService:Unavailable', 'unlisted:EService:Unavailable'],
    ['EService:Busy', 'unlisted:EService:Busy'],
    ['EGeneral:Internal error', 'unlisted:EGeneral:Internal error'],
    ['EAPI:Invalid nonce', 'unlisted:EAPI:Invalid nonce'],
  ])('%s: %s', (code, verdict) => {
    expect(kraken(code)).toBe(verdict);
  });

  it('proves nothing when one of several codes is not listed', () => {
    expect(kraken('EOrder:Insufficient funds', 'EGeneral:Internal error')).toBe(
      'unlisted:EGeneral:Internal error',
    );
  });
});

describe('Coinbase', () => {
  it.each([
    [{ error: 'INSUFFICIENT_FUND' }, 'rejected INSUFFICIENT_FUND'],
    [
      { error: 'UNKNOWN_FAILURE_REASON', preview_failure_reason: 'PREVIEW_INSUFFICIENT_FUND' },
      'rejected PREVIEW_INSUFFICIENT_FUND',
    ],
    [{ error: 'UNKNOWN_FAILURE_REASON', preview_failure_reason: '' }, 'unlisted:no_code'],
    [{ error: 'COMMANDER_TIMED_OUT' }, 'unlisted:COMMANDER_TIMED_OUT'],
  ])('%j: %s', (inner, verdict) => {
    expect(coinbase(inner)).toBe(verdict);
  });

  it('rejects a wrong key before an order, in plain text too', () => {
    expect(short(judgeCoinbase(reply(undefined, 401)))).toBe('key http_401');
    expect(short(judgeCoinbase(reply({ error: 'PERMISSION_DENIED' }, 403)))).toBe(
      'key PERMISSION_DENIED',
    );
    expect(short(judgeCoinbase(reply({ error: 'NOT_FOUND' }, 404)))).toBe('rejected NOT_FOUND');
    expect(short(judgeCoinbase(reply(undefined, 404)))).toBe('unlisted:http_404');
    expect(short(judgeCoinbase(reply({ orders: [] })))).toBe('answered');
  });
});

describe('Binance', () => {
  it.each([
    [-2010, 'Account has insufficient balance for requested action.', 'rejected -2010'],
    [-2010, 'Duplicate order sent.', 'duplicate'],
    [-1013, 'Filter failure: NOTIONAL', 'rejected -1013'],
    [-1013, 'Market is closed.', 'rejected market_closed'],
    [-2015, 'Invalid API-key, IP, or permissions for action.', 'key -2015'],
    [-1007, 'Timeout waiting for response from backend server.', 'unlisted:-1007'],
    [-1006, 'An unexpected response was received from the message bus.', 'unlisted:-1006'],
    [-1021, 'Timestamp for this request is outside of the recvWindow.', 'unlisted:-1021'],
    [-1008, 'Server is currently overloaded', 'unlisted:-1008'],
    [-9999, 'new', 'unlisted:-9999'],
  ] as [number, string, string][])('%i %s: %s', (code, msg, verdict) => {
    expect(binance(code, msg)).toBe(verdict);
  });

  it('reads lists and orders as answers', () => {
    expect(short(judgeBinance(reply([])))).toBe('answered');
    expect(short(judgeBinance(reply({ orderId: 1 })))).toBe('answered');
    expect(short(judgeBinance(reply({}, 403)))).toBe('unlisted:http_403');
  });
});
