import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { addressFault, type DestinationContext, urlFault } from './destination.ts';

const at = (from?: string): DestinationContext => ({ from: from === undefined ? undefined : new URL(from) });
const publicly = at('https://mcp.example/mcp');
const fault = (url: string, standing: DestinationContext = publicly): string =>
  urlFault(new URL(url), standing) ?? 'fine';

describe('a URL', () => {
  test.each(['https://as.example/token', 'https://8.8.8.8/', 'https://as.example:8443/', 'HTTPS://AS.EXAMPLE'])(
    'may be asked when it is https: and public: %s',
    (url) => {
      expect(fault(url)).toBe('fine');
      expect(fault(url, {})).toBe('fine');
      expect(fault(url, at('https://8.8.4.4/mcp'))).toBe('fine');
    },
  );

  test.each([
    'http://as.example/',
    'http://8.8.8.8/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost.evil.example/',
    'http://127.0.0.1.nip.io/',
  ])('a URL of a public host must be https: %s', (url) => {
    verifies('SEC-018');
    expect(fault(url)).toContain('must be https:');
    expect(fault(url, at('http://localhost:3000/mcp'))).toContain('must be https:');
  });

  test.each([
    'javascript:alert(1)',
    'data:application/json,{}',
    'file:///etc/passwd',
    'ftp://as.example/',
    'blob:x',
    'wss://a.example',
  ])('a URL with another scheme is blocked: %s', (url) => {
    verifies('SEC-039');
    expect(fault(url)).toContain('it must be https:, not');
    expect(fault(url, { dangerouslyAllowPrivateAddresses: true })).toContain('it must be https:, not');
  });

  test.each([
    'https://mcp.example@evil.example/',
    'https://ada:pw@as.example/',
    'https://:pw@as.example/',
    'https://as.example:443@evil.example:80/',
  ])('a URL with a user name or password is blocked: %s', (url) => {
    expect(fault(url)).toContain('names a user');
  });

  test.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'http://127.0.0.1:6379/',
    'http://localhost:6379/',
    'http://app.localhost/',
  ])('a URL on this machine is allowed only for an endpoint on this machine: %s', (url) => {
    verifies('SEC-017', 'SEC-019');
    for (const from of [publicly, at('https://192.168.0.7/mcp'), {}])
      expect(fault(url, from)).toContain('on this machine');
    expect(fault(url, at('http://localhost:3000/mcp'))).toBe('fine');
    expect(fault(url, at('http://127.0.0.1:3000/mcp'))).toBe('fine');
    expect(fault(url, { dangerouslyAllowPrivateAddresses: true })).toBe('fine');
  });

  test.each([
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://[fd00::1]/',
    'https://100.64.1.1/',
    'https://idp.internal/',
    'https://keycloak/',
  ])('a URL in a private network is allowed only for an endpoint there or on this machine: %s', (url) => {
    verifies('SEC-017', 'SEC-019');
    for (const from of [publicly, {}]) expect(fault(url, from)).toContain('in a private network');
    for (const from of ['http://localhost:3000/', 'https://172.16.0.1/mcp', 'https://mcp.internal/'])
      expect(fault(url, at(from))).toBe('fine');
    expect(fault(url, { dangerouslyAllowPrivateAddresses: true })).toBe('fine');
  });

  test.each([
    'https://169.254.169.254/',
    'https://[fe80::1]/',
    'https://0.0.0.0/',
    'https://[fd00:ec2::254]/',
    'https://224.0.0.1/',
  ])('a reserved address is always blocked: %s', (url) => {
    verifies('SEC-017', 'SEC-019');
    for (const from of [publicly, at('http://localhost:3000/'), { dangerouslyAllowPrivateAddresses: true }])
      expect(fault(url, from)).toContain('is in a reserved address range');
  });

  test('http: in a private network needs dangerouslyAllowPrivateAddresses', () => {
    verifies('SEC-018');
    const allowed = { dangerouslyAllowPrivateAddresses: true };
    expect(fault('http://keycloak:8080/realms/a', allowed)).toBe('fine');
    expect(fault('http://10.0.0.1/', allowed)).toBe('fine');
    expect(fault('http://as.example/', allowed)).toContain('must be https:');
    expect(fault('http://169.254.169.254/', allowed)).toContain('must be https:');
    expect(fault('http://10.0.0.1/', at('https://10.0.0.2/mcp'))).toContain('must be https:');
  });
});

describe('an address that a name resolves to', () => {
  const resolved = (url: string, address: string, standing: DestinationContext = publicly): string =>
    addressFault(new URL(url), address, standing) ?? 'fine';

  test.each([
    '10.0.0.1',
    '127.0.0.1',
    '::1',
    '169.254.169.254',
    'fe80::1%eth0',
    '::ffff:192.168.0.1',
    '0.0.0.0',
    'fd00::1',
  ])('an address from DNS is checked like one in a URL: %s', (address) => {
    verifies('SEC-017', 'SEC-019');
    expect(resolved('https://as.example/', address)).toContain(`as.example, which is ${address},`);
    expect(resolved('https://as.example/', '8.8.8.8')).toBe('fine');
  });

  test('an address is allowed anywhere for the origin of the endpoint, and for no other', () => {
    const corporate = at('https://mcp.corp.example/mcp');
    expect(resolved('https://mcp.corp.example/.well-known/x', '10.0.0.1', corporate)).toBe('fine');
    expect(resolved('https://mcp.corp.example:8443/', '10.0.0.1', corporate)).toContain('in a private network');
    expect(resolved('https://idp.corp.example/', '10.0.0.2', corporate)).toContain('dangerouslyAllowPrivateAddresses');
  });

  test('http: to localhost is blocked if the name resolves to another machine', () => {
    const local = at('http://localhost:3000/');
    expect(resolved('http://localhost:4000/', '127.0.0.1', local)).toBe('fine');
    expect(resolved('http://localhost:3000/', '8.8.8.8', local)).toContain('must be https:');
    expect(resolved('http://localhost:4000/', '10.0.0.1', local)).toContain('must be https:');
  });
});
