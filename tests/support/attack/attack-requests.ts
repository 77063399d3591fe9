/**
 * Draws requests of an attacker, byte by byte: calls of the contract with good values, then with
 * values, headers, addresses and framings that it does not allow.
 */
import { randomBytes } from 'node:crypto';
import { IDEMPOTENCY_HEADER } from '../../../contract/version.ts';
import { OWN_UID, SOME_ID, wireBody, type Samples } from './contract-samples.ts';
import { disturbed, hostileText, pick, unwrapRaw, type Roll } from './hostile-values.ts';
import type { Shot } from './pipeline.ts';

export interface Attacker {
  uid: string;
  token: string;
  /** What of theirs, and of others, they know by its id. */
  ids: string[];
}

/**
 * Calls that end the attacker's own session or account: seldom, or nobody would be left. And those
 * for which the simulated market works for a tenth of a second: no other market does.
 */
const SELDOM: Readonly<Record<string, number>> = {
  candles: 0.05,
  previewAgent: 0.2,
  backtestTerms: 0.2,
  deleteAccount: 0.02,
  signOutEverywhere: 0.02,
  resetPaper: 0.3,
};

const uuid = (): string => {
  const hex = randomBytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};

interface Draft {
  what: string;
  method: string;
  path: string;
  headers: [string, string][];
  body: Buffer | null;
}

const FILES = [
  '/..%2f..%2f..%2fetc%2fpasswd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/assets/..%5c..%5cpackage.json',
  '/assets/../../package.json',
  '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
  '//etc/passwd',
  '/.env',
  '/.git/config',
  '/assets/.stamp',
  '/sw.js%00.html',
  '/index.html/..%2f..%2f.env',
  '/%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd',
  '/static/%252e%252e/%252e%252e/.env',
];
const PAGES = ['/', '/dashboard', '/sw.js', '/openapi.json', '/healthz', '/metrics', '/ref/abc'];
const METHODS = ['PATCH', 'TRACE', 'OPTIONS', 'HEAD', 'PROPFIND', 'PURGE', 'LOCK', 'PUT', 'DELETE'];

const own = (text: string, attacker: Attacker, roll: Roll): string =>
  text
    .replaceAll(OWN_UID, attacker.uid)
    .replaceAll(SOME_ID, () =>
      roll() < 0.75 && attacker.ids.length > 0 ? pick(roll, attacker.ids) : uuid(),
    );

/** A text as it stands in an address, now and then in a spelling of its own. */
const spelled = (text: string, roll: Roll): string =>
  roll() < 0.9
    ? encodeURIComponent(/\p{Surrogate}/u.test(text) ? '\ufffd' : text)
    : `${Buffer.from(text)
        .toString('latin1')
        .replace(/[^!-~]/g, '%0a')}`.slice(0, 300);

function queryOf(samples: Samples, roll: Roll): string {
  const given = Object.entries(pick(roll, samples.queries)).map(([name, value]) => [
    name,
    roll() < 0.8 ? String(value) : hostileText(roll).slice(0, 2_000),
  ]);
  if (roll() < 0.1)
    given.push([pick(roll, ['__proto__', 'constructor', 'uid', 'a[]', 'a[b]', '']), 'x']);
  if (roll() < 0.05 && given[0] !== undefined) given.push(given[0]);
  if (given.length === 0) return '';
  return `?${given.map(([name = '', value = '']) => `${encodeURIComponent(name)}=${spelled(value, roll)}`).join('&')}`;
}

/** JSON as it is sent; every few times no JSON at all. */
function bodyOf(samples: Samples, attacker: Attacker, roll: Roll): Buffer {
  const { target } = samples;
  const good = pick(roll, samples.bodies);
  const kind = roll();
  const value = wireBody(target, kind < 0.45 ? good : disturbed(good, roll));
  const text = own(unwrapRaw(JSON.stringify(value) ?? 'null'), attacker, roll);
  if (kind < 0.85) return Buffer.from(text);
  switch (Math.floor(roll() * 6)) {
    case 0:
      return Buffer.from(text.slice(0, Math.floor(roll() * text.length)));
    case 1:
      return Buffer.from(`\ufeff${text}`);
    case 2:
      return Buffer.from(`${'['.repeat(3_000)}${text}`);
    case 3:
      return Buffer.from(text.replace('{', '{"userId":"a","userId":"b",'));
    case 4:
      return Buffer.from(`${text}${text}`);
    default:
      return Buffer.from(`/* c */ ${text.replaceAll('"', "'")}`);
  }
}

const ODD_HEADERS: readonly ((roll: Roll) => [string, string][])[] = [
  () => [['content-type', 'text/plain']],
  () => [['content-type', 'application/json; charset=utf-16']],
  () => [['content-type', 'multipart/form-data; boundary=x']],
  () => [['content-encoding', 'gzip']],
  () => [['x-tradewind-contract', '0']],
  () => [['x-tradewind-contract', '9'.repeat(300)]],
  () => [['origin', 'https://evil.example']],
  () => [['sec-fetch-site', 'cross-site']],
  () => [['x-forwarded-for', '127.0.0.1, 10.0.0.1']],
  () => [['x-http-method-override', 'DELETE']],
  () => [['x-original-url', '/metrics']],
  () => [['accept-encoding', 'br;q=x, gzip;q=1e400']],
  () => [['if-none-match', `W/"${'x'.repeat(2_000)}"`]],
  () => [['range', 'bytes=0-,5-2,-1']],
  () => [['accept', '*/*;q=0, '.repeat(50)]],
  () => [['last-event-id', '-1']],
  () => [['cookie', `a=${'x'.repeat(6_000)}`]],
  (roll) => [['host', pick(roll, ['evil.example', '[::', '127.0.0.1:99999', ''])]],
  () => Array.from({ length: 300 }, (_none, n): [string, string] => [`x-${n}`, 'y']),
];

/** Who asks: nearly always the attacker, else somebody who is nobody. */
function whoAsks(attacker: Attacker, roll: Roll): [string, string][] {
  if (roll() < 0.96) return [['authorization', `Bearer ${attacker.token}`]];
  return pick<[string, string][]>(roll, [
    [],
    [['authorization', 'Bearer ']],
    [['authorization', 'Basic YTpi']],
    [['authorization', `Bearer ${'x'.repeat(7_000)}`]],
    [['authorization', `Bearer ${attacker.token.slice(0, -3)}x`]],
    [['authorization', 'Bearer a.b.c d']],
  ]);
}

function headersOf(draft: { isMutation: boolean }, attacker: Attacker, roll: Roll) {
  const headers = whoAsks(attacker, roll);
  if (draft.isMutation) {
    headers.push(['content-type', 'application/json']);
    if (roll() < 0.97) headers.push([IDEMPOTENCY_HEADER, uuid()]);
    else headers.push([IDEMPOTENCY_HEADER, hostileText(roll).replace(/[^ -~]/g, '?')]);
  }
  if (roll() < 0.08) headers.push(...pick(roll, ODD_HEADERS)(roll));
  return headers;
}

function callDraft(samples: Samples, attacker: Attacker, roll: Roll): Draft {
  const { target } = samples;
  const isMutation = target.method !== 'GET';
  const path = target.path.replace(/:\w+/g, () => {
    const id = own(SOME_ID, attacker, roll);
    return roll() < 0.85 ? id : spelled(hostileText(roll).slice(0, 5_000), roll);
  });
  return {
    what: target.name,
    method: roll() < 0.98 ? target.method : pick(roll, METHODS),
    path: `${path}${own(queryOf(samples, roll), attacker, roll)}`,
    headers: headersOf({ isMutation }, attacker, roll),
    body: isMutation ? bodyOf(samples, attacker, roll) : null,
  };
}

function elsewhereDraft(attacker: Attacker, roll: Roll): Draft {
  return {
    what: 'elsewhere',
    method: roll() < 0.8 ? 'GET' : pick(roll, METHODS),
    path: pick(roll, roll() < 0.6 ? FILES : PAGES),
    headers: headersOf({ isMutation: false }, attacker, roll),
    body: null,
  };
}

const bytesOf = (
  { method, path, headers, body }: Draft,
  port: number,
  length?: string | null,
): Buffer => {
  const said = length === undefined ? (body === null ? null : String(body.length)) : length;
  const host = headers.some(([name]) => name === 'host') ? [] : [`host: localhost:${port}`];
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...host,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(said === null ? [] : [`content-length: ${said}`]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return body === null ? head : Buffer.concat([head, body]);
};

const shotOf = (draft: Draft, port: number): Shot => ({
  what: `${draft.what}: ${draft.method} ${draft.path.slice(0, 200)} ${(draft.body ?? '').toString('utf8', 0, 300)}`,
  bytes: bytesOf(draft, port),
  isHead: draft.method === 'HEAD',
});

export interface World {
  port: number;
  samples: readonly Samples[];
  attackers: readonly Attacker[];
}

/** A request whose frame is in order, so that others may follow it on the same connection. */
export function nextShot(world: World, roll: Roll): Shot {
  const attacker = pick(roll, world.attackers);
  for (;;) {
    if (roll() < 0.04) return shotOf(elsewhereDraft(attacker, roll), world.port);
    const samples = pick(roll, world.samples);
    if (roll() < (SELDOM[samples.target.name] ?? 1))
      return shotOf(callDraft(samples, attacker, roll), world.port);
  }
}

const HUGE = Buffer.alloc(10 * 1024 * 1024, 'x');

/** A request whose frame is broken: it needs a connection of its own. */
export function brokenShot(world: World, roll: Roll): Shot {
  const attacker = pick(roll, world.attackers);
  const draft = callDraft(pick(roll, world.samples), attacker, roll);
  const body = draft.body ?? Buffer.from('{}');
  const full = { ...draft, body };
  const bytes = (length: string | null, more: [string, string][] = []): Buffer =>
    bytesOf({ ...full, headers: [...draft.headers, ...more] }, world.port, length);
  // Of a body that is shorter than it says, the server waits for the rest.
  const whole = String(body.length);
  const chunked: [string, string] = ['transfer-encoding', 'chunked'];
  const kinds: Readonly<Record<string, () => Pick<Shot, 'bytes' | 'hangsUp'>>> = {
    'no UTF-8': () => ({
      bytes: bytesOf({ ...full, body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }, world.port),
    }),
    'random bytes': () => ({
      bytes: bytesOf({ ...full, body: randomBytes(Math.floor(roll() * 400)) }, world.port),
    }),
    'cut body': () => ({ bytes: bytes(String(body.length + 500)), hangsUp: true }),
    'length too small': () => ({ bytes: bytes(String(Math.max(0, body.length - 7))) }),
    'negative length': () => ({ bytes: bytes('-5') }),
    'length that is no number': () => ({ bytes: bytes('1e3') }),
    'two lengths': () => ({ bytes: bytes('2', [['content-length', '5']]) }),
    'length and chunks': () => ({ bytes: bytes('4', [chunked]) }),
    'odd encoding': () => ({ bytes: bytes(null, [['transfer-encoding', 'chunked, gzip']]) }),
    'broken chunk': () => ({ bytes: bytes(null, [chunked]), hangsUp: true }),
    'hidden request': () => ({
      bytes: Buffer.concat([
        bytes('0'),
        Buffer.from(`GET /healthz HTTP/1.1\r\nhost: localhost:${world.port}\r\n\r\n`),
      ]),
      hangsUp: true,
    }),
    'ten megabytes': () => ({ bytes: bytesOf({ ...full, body: HUGE }, world.port) }),
    expectation: () => ({ bytes: bytes(whole, [['expect', '100-continue']]) }),
    'folded header': () => ({ bytes: bytes(whole, [['x-a', 'b\r\n c']]) }),
    'header with a null': () => ({ bytes: bytes(whole, [['x-a', 'b\0c']]) }),
    'header without a name': () => ({ bytes: bytes(whole, [['', 'x']]) }),
    'space before colon': () => ({ bytes: bytes(whole, [['x-a ', 'x']]) }),
    'too many headers': () => ({
      bytes: bytes(
        whole,
        Array.from({ length: 2_500 }, (_none, n) => [`h${n}`, 'v'] as [string, string]),
      ),
    }),
    'path with spaces': () => ({ bytes: bytesOf({ ...full, path: '/a b\tc' }, world.port) }),
    'absolute address': () => ({
      bytes: bytesOf({ ...full, path: `http://evil.example${draft.path}` }, world.port),
    }),
    'no HTTP': () => ({
      bytes: Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'),
    }),
    'no method': () => ({
      bytes: bytesOf({ ...full, method: pick(roll, ['get', 'X', '']) }, world.port),
    }),
    'HTTP/0.9': () => ({ bytes: Buffer.from('GET /\r\n\r\n') }),
    'lone line feeds': () => ({
      bytes: Buffer.from(bytes(whole).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    }),
  };
  // Ten megabytes a time is a test of the network: now and then is enough.
  const names = Object.keys(kinds).filter((name) => name !== 'ten megabytes' || roll() < 0.05);
  const name = pick(roll, names);
  const made = kinds[name]?.() ?? { bytes: bytes('0') };
  const what = `${name}: ${draft.what} ${draft.path.slice(0, 120)}`;
  return { what, isHead: draft.method === 'HEAD', ...made };
}
