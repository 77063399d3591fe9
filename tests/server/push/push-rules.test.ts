/**
 * The rules of push that need no database: addresses, quiet hours, what fits, when to try again.
 */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';
import {
  PUSH_PAYLOAD_MAX_BYTES,
  PushPayload,
  PushSettings,
  DEFAULT_PUSH_SETTINGS,
} from '../../../contract/push.ts';
import { isPublicAddress, publicEndpoint } from '../../../server/push/endpoint.ts';
import { buildPayload } from '../../../server/push/payload.ts';
import { quietUntil } from '../../../server/push/quiet-hours.ts';
import { retryInMs } from '../../../server/push/sender.ts';

describe('addresses of push services', () => {
  it.each([
    'http://fcm.googleapis.com/x',
    'https://localhost/x',
    'https://127.0.0.1/x',
    'https://127.1/x',
    'https://2130706433/x',
    'https://0x7f.0.0.1/x',
    'https://[::1]/x',
    'https://10.0.0.8/x',
    'https://172.20.1.1/x',
    'https://192.168.1.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[fe80::1]/x',
    'https://[fd00::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[::ffff:a00:1]/x',
    'https://[64:ff9b::7f00:1]/x',
    'https://[2002:7f00:1::]/x',
    'https://0.0.0.0/x',
    'https://100.64.0.1/x',
    'https://metadata/x',
    'https://printer.local/x',
    'https://db.internal/x',
    'https://localhost./x',
    'https://a.localhost/x',
    'https://user:word@fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https:///x',
    'nothing',
  ])('refuses %s', (address) => {
    expect(() => publicEndpoint(address, false)).toThrow('push service');
  });

  it.each([
    'https://fcm.googleapis.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/x',
    'https://8.8.8.8/x',
    'https://[2a00:1450:4001::1]/x',
  ])('takes %s', (address) => {
    expect(publicEndpoint(address, false)).toBe(address);
  });

  it('never takes an address of a private network for a public one (F53)', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(
        fc.constantFrom(
          '10',
          '127',
          '0',
          '192.168',
          '169.254',
          '172.16',
          '172.31',
          '100.100',
          '224',
          '255',
        ),
        octet,
        octet,
        octet,
        (head, a, b, c) => {
          const address = [...head.split('.'), a, b, c].slice(0, 4).join('.');
          expect(isPublicAddress(address)).toBe(false);
          expect(isPublicAddress(`::ffff:${address}`)).toBe(false);
        },
      ),
    );
  });
});

describe('quiet hours', () => {
  const berlin = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  it('end in the morning of the person’s own time zone, also in the night when the clock changes', () => {
    expect(quietUntil(berlin, Date.UTC(2026, 0, 5, 22, 15))).toBe(Date.UTC(2026, 0, 6, 6, 0));
    expect(quietUntil(berlin, Date.UTC(2026, 0, 5, 6, 0))).toBeNull();
    expect(quietUntil(berlin, Date.UTC(2026, 0, 5, 20, 59))).toBeNull();
    // Summer time begins on 29 March 2026 at 01:00 UTC and ends on 25 October.
    expect(quietUntil(berlin, Date.UTC(2026, 2, 28, 23, 0))).toBe(Date.UTC(2026, 2, 29, 5, 0));
    expect(quietUntil(berlin, Date.UTC(2026, 9, 24, 23, 0))).toBe(Date.UTC(2026, 9, 25, 6, 0));
  });

  it('may lie within one day, and none are none', () => {
    const noon = { from: '12:00', to: '13:30', timeZone: 'Asia/Kathmandu' };
    expect(quietUntil(noon, Date.UTC(2026, 0, 5, 6, 30))).toBe(Date.UTC(2026, 0, 5, 7, 45));
    expect(quietUntil({ ...noon, to: '12:00' }, Date.UTC(2026, 0, 5, 6, 30))).toBeNull();
    expect(quietUntil(null, 0)).toBeNull();
  });

  it('always end later than now, within a day and an hour, at the minute that was named', () => {
    const clock = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map(([h, m]) => `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`);
    fc.assert(
      fc.property(
        clock,
        clock,
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
        fc.integer({ min: 1_767_225_600_000, max: 1_800_000_000_000 }),
        (from, to, timeZone, at) => {
          const end = quietUntil({ from, to, timeZone }, at);
          if (end !== null) expect(end > at && end - at <= 25 * 3_600_000).toBe(true);
        },
      ),
    );
  });

  it('need a time zone that there is', () => {
    const settings = {
      ...DEFAULT_PUSH_SETTINGS,
      quietHours: { ...berlin, timeZone: 'Mars/Olympus' },
    };
    expect(PushSettings.safeParse(settings).success).toBe(false);
    expect(PushSettings.safeParse({ ...settings, quietHours: berlin }).success).toBe(true);
  });
});

const agent = (id: string, name: string): Agent => ({
  id,
  name,
  trading_pairs: ['BTC/USDT', 'ETH/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 500,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'all_pools',
  tradingFrequency: 'optimized',
  status: 'running',
  hold: null,
  generation: 1,
  version: 1,
  quote: 'USDT',
  openPositions: 0,
  realized: '0',
  unrealized: '0',
  fees: '0',
  total: '0',
  createdAt: 1,
  startedAt: 1,
  stoppedAt: null,
  lastRunAt: 1,
  nextRunAt: 2,
});

describe('a payload', () => {
  it('is never larger than it may be, always names its agent, and says whether all are in it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.string({ maxLength: 100, unit: 'binary' }),
        fc.string({ maxLength: 900, unit: 'binary' }),
        (count, name, text) => {
          const agents = Array.from({ length: count }, (_one, index) => agent(`a${index}`, name));
          const facts = { agentId: `a${count - 1}`, agentName: name, text };
          const payload = buildPayload(
            { id: 'm', uid: 'u', kind: 'agentHeld', facts, fill: null, showDetails: true },
            { agents, sequence: 7, asOf: 1 },
            null,
            5,
          );
          expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(
            PUSH_PAYLOAD_MAX_BYTES,
          );
          expect(payload.state.agents.some(({ id }) => id === facts.agentId)).toBe(true);
          expect(payload.state.wholeAgents).toBe(payload.state.agents.length === count);
          expect(PushPayload.parse(payload)).toEqual(payload);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('another try', () => {
  it('comes later each time with jitter, not before the service asked, and at most a quarter of an hour later', () => {
    const now = Date.UTC(2026, 9, 21, 7, 28);
    expect(retryInMs(1, undefined, now, 0)).toBe(5_000);
    expect(retryInMs(4, undefined, now, 1)).toBe(45_000);
    expect(retryInMs(1, '300', now, 0)).toBe(300_000);
    expect(retryInMs(20, '99999', now, 1)).toBe(900_000);
    expect(retryInMs(1, 'Wed, 21 Oct 2026 07:28:00 GMT', now, 0.5)).toBe(7_500);
    expect(retryInMs(1, 'Wed, 21 Oct 2026 07:30:00 GMT', now, 0.5)).toBe(120_000);
  });
});
