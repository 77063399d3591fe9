/** Names the network that an address is counted under: whoever has one IPv6 address has its /64. */
import { isIPv6 } from 'node:net';

/** The first six numbers of an IPv6 address that stands for an IPv4 address: mapped, or by NAT64. */
const OF_IPV4 = ['0,0,0,0,0,65535', '100,65435,0,0,0,0'];

/** An IPv4 address as it is, also one that is written as IPv6; what is no address as it is, too. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  if (OF_IPV4.includes(groups.slice(0, 6).join())) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** Its eight numbers, of an address in any notation. */
function groupsOf(address: string): number[] {
  const [bare = ''] = address.split('%');
  // A URL's host has one notation: no dots, no capitals, one gap at most.
  const host = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = host
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16))));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
