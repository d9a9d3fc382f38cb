import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { type AddressScope, addressScope, hostScope } from './addresses.ts';

const ofUrl = (host: string): AddressScope | undefined => hostScope(new URL(`http://${host}/`).hostname);

describe('an address', () => {
  test.each<[AddressScope, readonly string[]]>([
    ['public', ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255']],
    ['public', ['128.0.0.0', '169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255', '223.255.255.255']],
    ['private', ['100.100.100.199', '100.100.101.200']],
    ['public', ['168.63.129.17', '192.0.1.1', '192.0.3.1', '192.88.98.1']],
    ['public', ['198.51.99.1', '203.0.112.1', '198.17.255.255', '198.20.0.0']],
    ['public', ['2606:4700::1111', '2a00:1450:4001::200e', '2001:200::1', '3ffe::1']],
    ['public', ['::ffff:8.8.8.8', '64:ff9b::8.8.8.8']],
    ['loopback', ['127.0.0.1', '127.0.0.0', '127.255.255.255', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1']],
    ['private', ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', '192.168.255.255']],
    ['private', ['100.64.0.0', '100.127.255.255', 'fc00::', 'fd12:3456::1', 'fdff:ffff::', '::ffff:10.1.2.3']],
    ['reserved', ['0.0.0.0', '0.1.2.3', '169.254.0.0', '169.254.169.254', '169.254.255.255']],
    ['reserved', ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::1']],
    ['reserved', ['192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '198.19.255.255', '192.88.99.1']],
    ['reserved', ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255']],
    ['reserved', ['::', '::8.8.8.8', '::127.0.0.1', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', '100::1', '5f00::1']],
    ['reserved', ['2001:db8::1', '3fff::1', '2001::1', '2001:0:4136:e378::1', '2001:2::1', '2001:10::1', '2001:20::1']],
    [
      'reserved',
      ['2002:0a00:0001::', '2002:0808:0808::', '64:ff9b::10.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::8.8.8.8'],
    ],
    ['reserved', ['::ffff:169.254.169.254', '::ffff:0:127.0.0.1', '4000::1']],
    ['reserved', ['fe80::1%eth0', '::1%1', 'nonsense', '', '1.2.3.x', '1.2.3.4.5', '300.1.1.1']],
  ])('addressScope() returns %s: %j', (expected, addresses) => {
    verifies('SEC-019');
    expect(addresses.map(addressScope)).toEqual(addresses.map(() => expected));
  });

  test('addressScope() never returns public for an address in a local range of BlockList', () => {
    verifies('SEC-019');
    const local = new BlockList();
    for (const [net, bits] of [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
    ] as const)
      local.addSubnet(net, bits, 'ipv4');
    for (const [net, bits] of [
      ['::1', 128],
      ['fc00::', 7],
      ['fe80::', 10],
    ] as const)
      local.addSubnet(net, bits, 'ipv6');
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const family = isIPv4(address) ? 'ipv4' : 'ipv6';
        if (local.check(address, family)) expect(addressScope(address)).not.toBe('public');
        if (family === 'ipv4') expect(addressScope(`::ffff:${address}`)).toBe(addressScope(address));
      }),
      { numRuns: 2_000 },
    );
  });

  test('an unallocated address is never public', () => {
    const given = new BlockList();
    given.addSubnet('2000::', 3, 'ipv6');
    given.addSubnet('64:ff9b::', 96, 'ipv6');
    given.addSubnet('::ffff:0:0', 96, 'ipv6');
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (addressScope(address) === 'public') expect(given.check(address, 'ipv6')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the host of a URL', () => {
  test.each<[AddressScope, readonly string[]]>([
    ['loopback', ['127.1', '0177.0.0.1', '0x7f.0.0.1', '0x7f000001', '2130706433', '017700000001', '127.0.0.1.']],
    ['loopback', ['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::FFFF:7F00:1]', '127。0。0。1', '①②⑦.0.0.1']],
    ['loopback', ['localhost', 'LOCALHOST', 'localhost.', 'app.localhost']],
    ['private', ['10.1', '0xa000001', '167772161', '192.168.257', '[fd00::1]', 'ⓝas.local', 'printer', 'idp.internal']],
    ['private', ['router.home.arpa', 'box.localdomain', 'IDP.INTERNAL.']],
    ['reserved', ['0', '0.0.0.0', '169.254.169.254', '0xa9fea9fe', '2852039166', '[fe80::1]', '[::]']],
    ['public', ['8.8.8.8', '134744072', '[2606:4700::1111]']],
  ])('hostScope() returns %s for every spelling: %j', (expected, hosts) => {
    verifies('SEC-019');
    expect(hosts.map(ofUrl)).toEqual(hosts.map(() => expected));
  });

  test('an empty host is reserved', () => {
    expect(hostScope('')).toBe('reserved');
  });

  test.each([
    'example.com',
    'localhost.example.com',
    'notlocalhost.dev',
    '127.0.0.1.nip.io',
    'local.example',
    'a.localhost.example',
    'a.internal.example',
  ])('hostScope() returns undefined for a name that needs DNS: %s', (host) => {
    expect(ofUrl(host)).toBeUndefined();
  });
});
