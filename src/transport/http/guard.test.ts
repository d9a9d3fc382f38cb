import { describe, expect, test } from 'vitest';
import { FakeView } from '../../../test/support/fake-http.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { Guard, type GuardOptions } from './guard.ts';

const fault = (headers: Record<string, string | undefined>, options: GuardOptions = {}): string | undefined =>
  new Guard(options).fault(new FakeView({ headers }));

describe('Host', () => {
  test.each(['localhost', 'localhost:3000', '127.0.0.1:80', '[::1]:8080', '[::1]', 'LOCALHOST:1'])(
    'the Host %s is allowed as a loopback name',
    (host) => {
      expect(fault({ host })).toBeUndefined();
    },
  );

  test.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:3000',
    'evil-localhost',
    'localhost:',
    'localhost:123456',
    'localhost:evil',
    'localhost@evil.example',
    'localhost evil',
    '127.0.0.1.evil.example',
    '[::1',
    '::1',
    'localhost, localhost',
    '__proto__',
  ])('the Host %s is rejected', (host) => {
    expect(fault({ host })).toBe('host');
  });

  test('a configured host is allowed with any port, or with the configured one only', () => {
    const options = { allowedHosts: ['mcp.example.com', 'other.example.com:8443'] };
    expect(fault({ host: 'mcp.example.com' }, options)).toBeUndefined();
    expect(fault({ host: 'MCP.example.com:444' }, options)).toBeUndefined();
    expect(fault({ host: 'other.example.com:8443' }, options)).toBeUndefined();
    expect(fault({ host: 'other.example.com' }, options)).toBe('host');
    expect(fault({ host: 'localhost' }, options)).toBe('host');
    expect(fault({ host: 'mcp.example.com' }, { allowedHosts: ['MCP.Example.com'] })).toBeUndefined();
    expect(fault({ host: '[2001:db8::a]' }, { allowedHosts: ['[2001:DB8::A]'] })).toBeUndefined();
  });

  test('a rejected Host is rejected again after another one was allowed', () => {
    const guard = new Guard({});
    const asked = ['evil.example', 'evil.example', 'localhost', 'evil.example', 'localhost:', 'localhost'];
    expect(asked.map((host) => guard.fault(new FakeView({ headers: { host } })))).toEqual([
      ...['host', 'host', undefined, 'host', 'host', undefined],
    ]);
  });
});

describe('Origin', () => {
  test('the Origin is checked for a remembered Host too', () => {
    const guard = new Guard({});
    const from = (origin: string): string | undefined => guard.fault(new FakeView({ headers: { origin } }));
    expect(['http://localhost', 'http://evil.example', 'http://localhost'].map(from)).toEqual([
      ...[undefined, 'origin', undefined],
    ]);
  });

  test('a request without an Origin is allowed', () => {
    verifies('HTTP-003');
    expect(fault({ origin: undefined })).toBeUndefined();
  });

  test.each(['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:80'])(
    'the Origin %s is allowed as a loopback page',
    (origin) => {
      expect(fault({ origin })).toBeUndefined();
    },
  );

  test.each([
    'null',
    '',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'ftp://localhost',
    'http://localhost, http://localhost',
    'http://evil.example?localhost',
    'xhttp://localhost',
    'http://localhost/',
    'http://localhost\nevil',
    'http://',
    'evil.example http://localhost',
  ])('a page with the Origin %s cannot call', (origin) => {
    verifies('HTTP-003');
    expect(fault({ origin })).toBe('origin');
  });

  test('only a configured Origin is allowed, compared exactly', () => {
    const options = { allowedOrigins: ['https://app.example'] };
    expect(fault({ origin: 'https://app.example' }, options)).toBeUndefined();
    for (const origin of [
      'https://app.example.evil',
      'http://app.example',
      'https://app.example:444',
      'HTTPS://APP.EXAMPLE',
      'http://localhost',
      'null',
    ])
      expect(fault({ origin }, options)).toBe('origin');
  });

  test('an Origin is not allowed for being the same as the Host', () => {
    const options = { allowedHosts: ['evil.example'] };
    expect(fault({ host: 'evil.example' }, options)).toBeUndefined();
    expect(fault({ host: 'evil.example', origin: 'http://evil.example' }, options)).toBe('origin');
  });
});

test('a list with an entry that cannot match is rejected at once', () => {
  for (const host of ['https://a.example', '', ':80', '[]', '[a.example]', 'a.example:', 'a.example:http'])
    expect(() => new Guard({ allowedHosts: [host] })).toThrow(`allowedHosts: "${host}" is not a host name`);
  for (const origin of ['https://a.example/path', 'null', '*'])
    expect(() => new Guard({ allowedOrigins: [origin] })).toThrow(`allowedOrigins: "${origin}" is not an origin`);
  const one = '*' as unknown as readonly string[]; // the compiler would report it
  expect(() => new Guard({ allowedOrigins: one })).toThrow('allowedOrigins: it must be a list');
  expect(() => new Guard({ allowedHosts: one })).toThrow('allowedHosts: it must be a list');
});

describe('browsers are told', () => {
  const view = (headers: Record<string, string>): FakeView => new FakeView({ method: 'OPTIONS', headers });

  test('there are no CORS headers unless origins are configured', () => {
    const guard = new Guard({});
    const asking = view({ origin: 'http://localhost:1', 'access-control-request-method': 'POST' });
    expect(guard.cors(asking)).toBeUndefined();
    expect(guard.preflight(asking)).toBeUndefined();
  });

  test('the CORS headers name the origin of the page and the headers that it can read', () => {
    const guard = new Guard({ allowedOrigins: ['https://app.example', 'https://b.example'] });
    expect(guard.cors(view({ origin: 'https://app.example' }))).toEqual({
      'Access-Control-Allow-Origin': 'https://app.example',
      'Access-Control-Expose-Headers': 'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce',
      Vary: 'Origin',
    });
  });

  test('a page of another origin gets no CORS headers', () => {
    const guard = new Guard({ allowedOrigins: ['https://app.example'] });
    const evil = view({ origin: 'https://evil.example', 'access-control-request-method': 'POST' });
    expect([guard.cors(evil), guard.preflight(evil)]).toEqual([undefined, undefined]);
    expect(guard.cors(view({}))).toBeUndefined();
  });

  test('a preflight allows the headers of the protocol, and no others', () => {
    const guard = new Guard({ allowedOrigins: ['https://app.example'] });
    const wanted =
      'accept, content-type, Mcp-Method,mcp-name, Mcp-Param-Region, mcp-protocol-version, mcp-session-id, last-event-id, authorization, x-evil';
    const headers = guard.preflight(
      view({
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': wanted,
      }),
    );
    expect(headers?.['Access-Control-Allow-Headers']).toBe(wanted.replace(', x-evil', '').replaceAll(/,\s*/g, ', '));
    expect(headers).toMatchObject({
      'Access-Control-Allow-Methods': 'POST, GET, DELETE',
      'Access-Control-Max-Age': '7200',
    });
  });

  test.each(['x-mcp-param-region', 'mcp-param-', 'mcp-param-a b', 'mcp-params-a', 'x-authorization', ''])(
    'a preflight does not allow the header "%s"',
    (name) => {
      const guard = new Guard({ allowedOrigins: ['https://app.example'] });
      const asking = view({
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': `${name},dpop`,
      });
      expect(guard.preflight(asking)?.['Access-Control-Allow-Headers']).toBe('dpop');
    },
  );
});
