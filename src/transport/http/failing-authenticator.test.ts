/** An `auth` that fails: callers get 503, and operators a warning with the reason. */
import { describe, expect, test, vi } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { knock } from '../../../test/support/fake-http.ts';
import { stateless } from '../../../test/support/http-messages.ts';
import { tool } from '../../index.ts';
import type { Authenticator, AuthRequest } from '../../model/auth.ts';
import { HttpService } from './service.ts';

describe('an authenticator that fails', () => {
  const knockAs = async (auth: unknown, authorization: string): Promise<[number, string[]]> => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    try {
      const service = new HttpService(port().server, { auth: auth as Authenticator }); // as a program without types has it
      const sent = stateless('tools/call', { name: 'echo', arguments: { message: 'hi' } }, { authorization });
      const replies = [await knock(service, sent), await knock(service, sent)];
      expect(replies[0]?.body).not.toContain('auth');
      return [replies[0]?.status ?? 0, warned.mock.calls.map(([warning]) => String(warning))];
    } finally {
      warned.mockRestore();
    }
  };

  test.each([
    ['true', () => true],
    ['undefined', () => undefined],
    ['null', () => null],
    ['a promise of text', async () => 'ada'],
    ['a caller without scopes', () => ({ subject: 'ada' })],
    ['a caller with a text of scopes', () => ({ subject: 'ada', scopes: 'read write' })],
  ])(
    'an authenticator that returns %s rejects every request, and one warning says what to return',
    async (_what, auth) => {
      const [status, warnings] = await knockAs(auth, 'Bearer ada');
      expect(status).toBe(503);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('"auth" failed, and callers get 503.');
      expect(warnings[0]).toContain('return { subject, scopes: [] } for a caller, or { status: 401');
    },
  );

  test('an authenticator that returns scopes as a string causes a warning that they must be a list', async () => {
    const [, warnings] = await knockAs(() => ({ subject: 'ada', scopes: 'read write' }), 'Bearer ada');
    expect(warnings[0]).toContain('it returned "scopes" that are text');
  });

  test.each([
    [
      'at once',
      ({ header }: AuthRequest) => {
        throw new Error(`no such token\nat noon: ${header('authorization')}`);
      },
    ],
    [
      'later',
      async ({ header }: AuthRequest) => {
        throw new Error(`no such token: ${header('authorization')}`);
      },
    ],
  ])(
    'an authenticator that fails %s rejects every request, and the warning masks the credentials',
    async (_when, auth) => {
      const [status, warnings] = await knockAs(auth, 'Bearer hunter2hunter2');
      expect(status).toBe(503);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('no such token');
      expect(warnings[0]).not.toContain('hunter2');
      // The stack frame that threw.
      expect(warnings[0]).toMatch(/\n\s+at .*failing-authenticator/);
    },
  );

  test('a token that an authenticator quotes in its error is masked', async () => {
    const auth = ({ header }: AuthRequest): never => {
      throw new Error(`${header('authorization')?.split(' ')[1]} is not in the table`);
    };
    const [status, warnings] = await knockAs(auth, 'Bearer hunter2hunter2');
    expect([status, warnings]).toEqual([503, [expect.stringContaining('Error: [masked] is not in the table')]]);
  });

  test('a database password in the error of an authenticator is masked', async () => {
    const auth = (): never => {
      throw new Error('postgres://ada:hunter2@db.example is away');
    };
    const [, warnings] = await knockAs(auth, 'Bearer ada');
    expect(warnings).toEqual([expect.stringContaining('Error: postgres://[masked]@db.example is away')]);
  });

  test.each<[string, object]>([
    ['a challenge of two lines', { wwwAuthenticate: 'Bearer\r\nSet-Cookie: a=b' }],
    ['a challenge in Chinese', { wwwAuthenticate: 'Bearer realm="商店"' }],
    ['no text as a challenge', { wwwAuthenticate: 7 }],
    ['a status of success', { status: 200 }],
    ['a status as text', { status: '401' }],
    ['a header whose name has a blank', { headers: { 'Retry After': '1' } }],
    ['a header of two lines', { headers: { 'X-Why': 'a\nb' } }],
  ])('an authenticator whose rejection has %s rejects every request, and causes one warning', async (_what, more) => {
    const auth = () => ({ status: 401, wwwAuthenticate: 'Bearer', ...more });
    const [status, warnings] = await knockAs(auth, 'Bearer ada');
    expect([status, warnings]).toEqual([503, [expect.stringMatching(/(the status|the header .*) of a rejection/)]]);
  });

  test('an unusable rejection by "insufficient" becomes 503 and a warning', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const insufficient = () => ({ status: 403, wwwAuthenticate: 'Bearer\n' }) as const;
    const auth = Object.assign(() => ({ subject: 'ada', scopes: [] }), { insufficient });
    const { server } = port();
    server.add(tool({ name: 'safe', scopes: ['keys'], run: () => 'open' }));
    const reply = await knock(new HttpService(server, { auth }), stateless('tools/call', { name: 'safe' }));
    expect([reply.status, warned.mock.calls.length]).toEqual([503, 1]);
    expect(String(warned.mock.calls[0]?.[0])).toContain('"insufficient" of "auth"');
    warned.mockRestore();
  });

  test('an authenticator that throws a value that is no Error rejects every request, and the warning quotes it', async () => {
    const auth = (): never => {
      throw 'the database is away' as unknown;
    };
    expect(await knockAs(auth, 'Bearer ada')).toEqual([
      503,
      ['"auth" failed, and callers get 503. the database is away'],
    ]);
  });
});

test('an authenticator that returns a caller together with a challenge rejects the request', async () => {
  const auth = () => ({ subject: 'ada', scopes: [], status: 401 as const, wwwAuthenticate: 'Bearer' });
  const service = new HttpService(port().server, { auth });
  expect((await knock(service, stateless('tools/call', { name: 'echo', arguments: { message: 'hi' } }))).status).toBe(
    401,
  );
});
