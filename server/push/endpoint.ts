/**
 * Which addresses a push may go to: public HTTPS hosts only, checked by name and again when
 * resolved.
 */
import type { LookupAddress, LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { Agent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Refusal } from '../../contract/errors.ts';

/**
 * Loopback, private, link-local, shared, test, multicast and reserved networks: nothing there is a
 * push service.
 */
const closed = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  closed.addSubnet(net, bits, 'ipv4');
// Only 2000::/3 is given out to the public; in it lie tunnels (Teredo, 6to4) and examples.
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
for (const [net, bits] of [
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const)
  closed.addSubnet(net, bits, 'ipv6');

/**
 * Whether an IP address, as resolved or as spelled in a URL without brackets, is one of the public
 * internet.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  return family === 6 && global6.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/**
 * The address as it is kept.
 * @throws Refusal `invalid_request` for anything that cannot be a push service's.
 */
export function publicEndpoint(text: string, allowLocal: boolean): string {
  const refused = new Refusal('invalid_request', 'This is not the address of a push service', {
    field: 'subscription.endpoint',
  });
  if (!URL.canParse(text)) throw refused;
  const url = new URL(text);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') throw refused;
  if (allowLocal) return url.href;
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  // A push service has a name of the public internet and the usual port.
  const named =
    isIP(host) === 0 &&
    host.includes('.') &&
    !/(^|\.)(localhost|local|internal|home\.arpa|localdomain|test|invalid|example|onion)$/.test(
      host,
    );
  if (url.port !== '' || !(named || isPublicAddress(host))) throw refused;
  return url.href;
}

/** Of one question to one name server; both kinds of addresses are asked for at once. */
const QUESTION_MS = 2_000;
const QUESTION_TRIES = 2;

/** Anew for each name, so that it knows the name servers that the machine has by then. */
const openResolver = (): Resolver => new Resolver({ timeout: QUESTION_MS, tries: QUESTION_TRIES });

/**
 * The addresses of a name, IPv4 first, by questions of our own. The system's `getaddrinfo` holds
 * one of the process's few threads for as long as a name server keeps silent, and anybody can
 * register a name: the database's own name would wait behind those.
 */
async function addressesOf(
  resolver: Resolver,
  hostname: string,
  family: number,
): Promise<LookupAddress[]> {
  const asked = await Promise.allSettled([
    family === 6 ? [] : resolver.resolve4(hostname),
    family === 4 ? [] : resolver.resolve6(hostname),
  ]);
  const found = asked.flatMap((answer, index) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  const failed = asked.find((answer) => answer.status === 'rejected');
  if (found.length === 0 && failed !== undefined) throw failed.reason;
  return found;
}

const familyOf = ({ family }: LookupOptions): number =>
  family === 4 || family === 'IPv4' ? 4 : family === 6 || family === 'IPv6' ? 6 : 0;

/**
 * A name may lead anywhere, and elsewhere the next time: the address that is connected to is what
 * is checked.
 */
export const publicLookup =
  (open = openResolver): LookupFunction =>
  (hostname, options, done) => {
    addressesOf(open(), hostname, familyOf(options)).then(
      (found) => {
        const allowed = found.filter(({ address }) => isPublicAddress(address));
        const first = allowed[0];
        if (first === undefined)
          done(
            Object.assign(new Error('The host name resolves to a private address'), {
              code: 'EPRIVATE',
            }),
            '',
            0,
          );
        else if (options.all === true) done(null, allowed);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => {
        done(error, '', 0);
      },
    );
  };

/** The connections pushes go through. */
export function pushAgent(allowLocal: boolean): Agent {
  return new Agent({
    keepAlive: true,
    maxSockets: 8,
    timeout: 30_000,
    ...(allowLocal ? {} : { lookup: publicLookup() }),
  });
}
