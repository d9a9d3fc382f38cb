/**
 * Classifies hosts as public, private, loopback or reserved. The URL parser of the runtime normalizes addresses first, so octal,
 * hexadecimal, short and mapped spellings cannot bypass the check.
 */

/** `reserved`: link-local, multicast, documentation and tunnel addresses, which no web server should have. */
export type AddressScope = 'public' | 'private' | 'loopback' | 'reserved';

/** The eight groups of an IPv6 address. An IPv4 address is mapped: `ffff`, then its bytes in the last two groups. */
type Groups = readonly number[];

/** IANA's special-purpose addresses, and the metadata services of clouds, which give out secrets. The first match counts. */
const ipv4: readonly (readonly [string, AddressScope])[] = [
  ['100.100.100.200/32', 'reserved'], // metadata service of a cloud
  ['168.63.129.16/32', 'reserved'], // metadata service of a cloud, in public space
  ['0.0.0.0/8', 'reserved'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'private'], // carrier-grade NAT, and overlay networks
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'reserved'], // link-local, and the metadata of most clouds
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/3', 'reserved'], // multicast, the future, broadcast
];

/** Everything else is reserved: only 2000::/3 has been allocated. */
const ipv6: readonly (readonly [string, AddressScope])[] = [
  ['fd00:c1::/32', 'reserved'], // metadata services of clouds, this line and the next two
  ['fd00:ec2::/32', 'reserved'],
  ['fd20:ce::/32', 'reserved'],
  ['::1/128', 'loopback'],
  ['fc00::/7', 'private'],
  ['2001::/23', 'reserved'], // Teredo, benchmarking, ORCHID
  ['2001:db8::/32', 'reserved'],
  ['2002::/16', 'reserved'], // 6to4
  ['3fff::/20', 'reserved'],
  ['2000::/3', 'public'],
];

/** Suffixes of private names. `*.localhost` is loopback here, but `isLoopbackHost` does not trust it. */
const privateSuffixes: readonly string[] = ['.local', '.internal', '.home.arpa', '.localdomain'];

/** The scope of the `hostname` of a URL; undefined for a name that needs DNS. */
export function hostScope(hostname: string): AddressScope | undefined {
  return hostname[0] === '[' || /^[\d.]*$/.test(hostname) ? addressScope(hostname) : nameScope(hostname);
}

/** The scope of an IP address. An address that cannot be parsed, such as one with a zone, is reserved. */
export function addressScope(address: string): AddressScope {
  const groups = parseGroups(address);
  if (groups === undefined) return 'reserved';
  if (isInside(groups, '::ffff:0:0/96')) return findScope(ipv4, groups, 'public');
  // NAT64 is for reaching public IPv4 addresses; any other address behind it is reserved.
  if (isInside(groups, '64:ff9b::/96'))
    return findScope(ipv4, toMapped(groups), 'public') === 'public' ? 'public' : 'reserved';
  return findScope(ipv6, groups, 'reserved');
}

function nameScope(hostname: string): AddressScope | undefined {
  const name = hostname.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback';
  return !name.includes('.') || privateSuffixes.some((suffix) => name.endsWith(suffix)) ? 'private' : undefined;
}

const toMapped = (groups: Groups): Groups => [0, 0, 0, 0, 0, 0xffff, ...groups.slice(6)];

function findScope(table: typeof ipv4, groups: Groups, otherwise: AddressScope): AddressScope {
  const row = table.find(([range]) => isInside(groups, range));
  return row === undefined ? otherwise : row[1];
}

function isInside(groups: Groups, range: string): boolean {
  const [start = '', length = ''] = range.split('/');
  const begin = parseGroups(start) as Groups; // the ranges above are valid
  const bits = Number(length) + (start.includes('.') ? 96 : 0);
  const matches = (group: number, i: number): boolean => {
    const free = Math.min(16, Math.max(0, 16 * (i + 1) - bits));
    return group >> free === (groups[i] ?? 0) >> free;
  };
  return begin.every(matches);
}

function parseGroups(address: string): Groups | undefined {
  const host = address.includes(':') && address[0] !== '[' ? `[${address}]` : address;
  const spelled = URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : '';
  if (spelled[0] === '[') return expandGroups(spelled.slice(1, -1));
  const bytes = spelled.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  return bytes.length === 4 && bytes.every(Number.isInteger)
    ? [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d]
    : undefined;
}

/** The URL parser writes groups in hexadecimal, and the longest run of zeros as `::`. */
function expandGroups(spelled: string): Groups {
  const [left = [], right = []] = spelled
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))));
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}
