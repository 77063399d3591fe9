/**
 * Every call and every hosted function of the contract as something to send, with sample bodies and
 * queries that its own schema takes. A new call is here without a line.
 */
import fc from 'fast-check';
import { CALLABLE_PATH, CALLABLES, type CallableName } from '../../../contract/callables.ts';
import { CALLS, type CallName } from '../../../contract/calls.ts';
import { jsonSchemaOf, valuesOf, type Hints, type JsonSchema } from './schema-values.ts';

/** Put in place of what only the sender of a request knows. */
export const OWN_UID = '@uid@';
export const SOME_ID = '@id@';

/** Values that get past a first check, so that what lies behind it is reached too. */
const HINTS: Hints = {
  id: [SOME_ID],
  userId: [OWN_UID],
  agentId: [SOME_ID],
  requestId: [SOME_ID],
  messageId: [SOME_ID],
  before: [SOME_ID, '1700000000000'],
  symbol: ['BTC/USDT', 'ETH/USDT', 'BTC/USD'],
  symbols: ['BTC/USDT', 'BTC/USDT,ETH/USDT', 'NO/SUCH'],
  trading_pairs: [['BTC/USDT'], ['ETH/USDT', 'BTC/USDT'], []],
  planId: ['free', 'starter', 'standard', 'pro', 'pro-max'],
  priceId: ['price_test_starter', 'price_test_pro'],
  successUrl: ['/dashboard?subscription=success', 'https://evil.example/', '//evil.example'],
  cancelUrl: ['/subscription', 'javascript:alert(1)'],
  returnUrl: ['/subscription', 'http://169.254.169.254/latest/meta-data'],
  subscription_tier: ['free', 'trial', 'pro'],
  timeZone: ['Europe/Berlin', 'Mars/Olympus'],
  price: ['1', '61000.5', '0', '-1', '1e400'],
  seenVersion: [null, 1, 2],
  version: [1, 2],
  address: ['0x52908400098527886E0F7030069857D2E4169EE7'],
  chainId: [8_453, 84_532],
  endpoint: [
    'https://push.invalid.tradewind.app/x',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/x',
  ],
  p256dh: [`B${'A'.repeat(86)}`],
  auth: ['A'.repeat(22)],
  country: ['US', 'DE'],
  limit: ['1', '100', '1500'],
  interval: ['5m', '1h', '1d'],
  code: ['ABCDEFGH'],
};

export interface Target {
  /** The call's or the function's own name. */
  name: string;
  kind: 'call' | 'callable';
  method: string;
  /** With `:id` where the contract has it. */
  path: string;
  access: 'open' | 'token';
  query: JsonSchema;
  /** What a GET has none of. */
  body: JsonSchema | null;
  takesBody: (value: unknown) => boolean;
  takesQuery: (value: unknown) => boolean;
}

const takes =
  (schema: { safeParse: (value: unknown) => { success: boolean } }) =>
  (value: unknown): boolean =>
    schema.safeParse(value).success;

const callTarget = (name: CallName): Target => {
  const call = CALLS[name];
  return {
    name,
    kind: 'call',
    method: call.method,
    path: call.path,
    access: call.access,
    query: jsonSchemaOf(call.query),
    body: call.method === 'GET' ? null : jsonSchemaOf(call.body),
    takesBody: takes(call.body),
    takesQuery: takes(call.query),
  };
};

const callableTarget = (name: CallableName): Target => ({
  name,
  kind: 'callable',
  method: 'POST',
  path: `${CALLABLE_PATH}/${name}`,
  access: 'token',
  query: {},
  body: jsonSchemaOf(CALLABLES[name].request),
  takesBody: takes(CALLABLES[name].request),
  takesQuery: () => true,
});

export const TARGETS: readonly Target[] = [
  ...(Object.keys(CALLS) as CallName[]).map(callTarget),
  ...(Object.keys(CALLABLES) as CallableName[]).map(callableTarget),
];

export interface Samples {
  target: Target;
  /** Parsed bodies; of a hosted function what stands in `data`. */
  bodies: unknown[];
  queries: Record<string, unknown>[];
}

/** Drawn once: to draw each of a million anew would take longer than to send it. */
export function samplesOf(target: Target, seed: number, count: number): Samples {
  const draw = (schema: JsonSchema): unknown[] =>
    fc.sample(valuesOf(schema, HINTS), { seed, numRuns: count });
  return {
    target,
    bodies: target.body === null ? [] : draw(target.body),
    queries:
      target.query.properties === undefined
        ? [{}]
        : (draw(target.query) as Record<string, unknown>[]),
  };
}

/** As it goes over the wire: a hosted function's request is in an envelope. */
export const wireBody = (target: Target, body: unknown): unknown =>
  target.kind === 'callable' ? { data: body } : body;
