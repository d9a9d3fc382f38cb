import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { createTrace, formatTraceStep, type Trace, type TraceStep } from './trace.ts';

const step = { step: 'token', of: 'https://as.example/token', outcome: 'asked', why: 'POST, status 200' } as const;

describe('a line of the trace', () => {
  test('a line of the trace has step, outcome, URL and reason', () => {
    expect(formatTraceStep(step)).toBe('auth  token  asked  https://as.example/token: POST, status 200');
    expect(formatTraceStep({ step: 'scopes', outcome: 'chosen', why: 'files:read, as the challenge says' })).toBe(
      'auth  scopes  chosen  files:read, as the challenge says',
    );
  });

  test('a line of the trace escapes control characters', () => {
    const line = formatTraceStep({
      ...step,
      step: 'a\nb',
      why: '\u001b[2J\r\nauth  token  accepted  all is well \u202e',
    });
    expect(line).toBe(
      'auth  a\\u000ab  asked  https://as.example/token: \\u001b[2J\\u000d\\u000aauth  token  accepted  all is well \\u202e',
    );
  });

  test('a line of the trace has no query, fragment or credentials of a URL', () => {
    const of = 'https://ada:pass@as.example/authorize?code=abc&state=def#access_token=ghi';
    expect(formatTraceStep({ ...step, of })).toContain('  https://as.example/authorize: ');
  });

  test('a line of the trace has a maximum length', () => {
    expect(formatTraceStep({ ...step, why: 'x '.repeat(100_000) }).length).toBeLessThan(600);
  });
});

const names = ['access_token', 'refresh_token', 'code', 'code_verifier', 'client_secret', 'assertion', 'state'];
const secret = fc.stringMatching(/^[A-Za-z0-9_~-]{12,60}$/).filter((text) => !/token|status|value/i.test(text));

describe('no secret gets into the trace', () => {
  test.each<[string, (name: string, value: string) => string]>([
    ['a form', (name, value) => `sent grant_type=x&${name}=${value}&a=b`],
    ['JSON', (name, value) => `got {"${name}":"${value}","expires_in":3600}`],
    ['JSON with blanks', (name, value) => `got { "${name}" : "${value}" }`],
    ['a URL', (name, value) => `back at https://app.example/cb?${name}=${value}#${name}=${value}`],
  ])('as %s', (_, write) => {
    verifies('SEC-052');
    fc.assert(
      fc.property(fc.constantFrom(...names), secret, (name, value) => {
        expect(formatTraceStep({ ...step, why: write(name, value) })).not.toContain(value);
      }),
    );
  });

  test.each<[string, string]>([
    ['a bearer token', 'Authorization: Bearer s3cr3ts3cr3ts3cr3t'],
    ['a proof', 'DPoP s3cr3t.s3cr3t.s3cr3t-s3cr3t'],
    ['basic credentials', 'Basic czNjcjN0czNjcjN0czNjcjN0='],
    ['a JWT', 'came eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzM2NyM3QifQ.c2ln'],
    ['a token that the limit cuts', `${'x '.repeat(245)}Bearer s3cr3ts3cr3ts3cr3ts3cr3t`],
    ['a long random string', 'it was K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe-s3cr3t'],
  ])('as %s', (_, why) => {
    verifies('SEC-052', 'EXTAUTH-31');
    expect(formatTraceStep({ ...step, why })).not.toMatch(/s3cr3t|czNjcjN0|c2ln|sdo-OL0w/);
  });

  test('the trace masks every token and every long random string, and nothing beside them', () => {
    const long = 'K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe-s3cr3t';
    const why = `eyJabcdefgh, eyJhbGciOiJ.x and more; client ${long}, which is known (${long}); end`;
    expect(formatTraceStep({ ...step, why })).toContain(
      ': [masked], [masked] and more; client K7gN…, which is known (K7gN…); end',
    );
  });

  test('the trace does not mask ordinary words and issuer URLs', () => {
    const why = [
      'the client eyJack is known, as are heyJoanneSmithers and the-metadata-of-the-protected-resource-of-the-server',
      'and 7 is a digit before the-metadata-of-the-protected-resource-of-the-server',
      'the status code: 401, Bearer resource_metadata="https://a.example/.well-known/oauth-protected-resource/mcp"',
      'issuer https://login.example/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0 is the one that was asked',
      'token type Bearer, as requested; grant urn:ietf:params:oauth:grant-type:jwt-bearer',
    ].join('; ');
    expect(formatTraceStep({ ...step, why })).toContain(why);
  });
});

describe('tracing', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  test('createTrace() passes each step to the application, without secrets', () => {
    const told: TraceStep[] = [];
    createTrace((heard) => void told.push(heard))({ ...step, why: 'sent code=s3cr3t' });
    expect(told).toEqual([{ ...step, why: 'sent code=[masked]' }]);
  });

  test('an exception of the application’s trace is ignored', () => {
    const trace = createTrace(() => {
      throw new Error('full');
    });
    expect(() => trace(step)).not.toThrow();
  });

  test('a rejected promise of the application’s trace is ignored', async () => {
    const unhandled = vi.fn();
    process.once('unhandledRejection', unhandled);
    const failing: Trace = (): unknown => Promise.reject(new Error('full'));
    createTrace(failing)(step);
    await nextTurn();
    await nextTurn();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test.each<[string | undefined, number]>([
    ['auth', 1],
    ['http,auth', 1],
    ['http', 0],
    ['', 0],
    [undefined, 0],
  ])('createTrace() prints to standard error depending on the current MOORING_TRACE: %j', (value, lines) => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const trace = createTrace();
    vi.stubEnv('MOORING_TRACE', value);
    trace(step);
    expect(print.mock.calls).toEqual(lines === 0 ? [] : [[formatTraceStep(step)]]);
  });

  test.each([undefined, {}])('where there are no environment variables, nothing is printed: process is %j', (value) => {
    const told: TraceStep[] = [];
    vi.stubGlobal('process', value);
    try {
      createTrace((heard) => void told.push(heard))(step);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(told).toEqual([step]);
  });
});
