/** Tests which messages need no lease, and in which forms the request of an act is allowed. */
import { describe, expect, test } from 'vitest';
import { act, everyKind } from '../../../test/support/acts.ts';
import { type JsonObject, request, success } from '../../jsonrpc/message.ts';
import type { Act, ActKind } from '../act/act.ts';
import { isExtensionMethod, isRoutine, matchRequest } from './act-messages.ts';
import { Leases } from './leases.ts';

const noted = { note: 'psst' };

describe('a routine message', () => {
  test.each<[string, JsonObject]>([
    ['initialize', { protocolVersion: '1', capabilities: {}, clientInfo: { name: 'a', version: '1' } }],
    ['ping', {}],
    ['server/discover', {}],
    ['tools/list', { cursor: 'a' }],
    ['prompts/list', { cursor: 'a' }],
    ['resources/list', { cursor: 'a' }],
    ['resources/templates/list', { cursor: 'a' }],
    ['resources/subscribe', { uri: 'a://b' }],
    ['resources/unsubscribe', { uri: 'a://b' }],
    ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
    ['logging/setLevel', { level: 'info' }],
    ['notifications/initialized', {}],
    ['notifications/roots/list_changed', {}],
    ['notifications/cancelled', { requestId: 1 }],
    ['notifications/progress', { progressToken: 1, progress: 1, total: 2 }],
    ['skills/list', { cursor: 'a' }],
    ['skills/get', { uri: 'skill://a' }],
  ])('%s says what it must, and nothing besides', (method, params) => {
    expect(isRoutine(method, params)).toBe(true);
    expect(isRoutine(method, { ...params, _meta: { progressToken: 1 } })).toBe(true);
    expect(isRoutine(method, { ...params, _meta: noted })).toBe(false);
    for (const key of ['note', 'reason', 'message', 'arguments', 'name'])
      expect(isRoutine(method, { ...params, [key]: 'psst' }), key).toBe(false);
  });

  test('a message that uses a server or answers it is not routine', () => {
    const others = [
      'tools/call',
      'resources/read',
      'prompts/get',
      'completion/complete',
      'tasks/get',
      'roots/list',
      '',
    ];
    expect(others.filter((method) => isRoutine(method))).toEqual([]);
  });
});

describe('the request of an act', () => {
  const argument = { name: 'id', value: 'a' };
  const context = { arguments: { x: 'y' } };
  const forms: ReadonlyMap<ActKind, readonly [Partial<Act>, readonly [string, JsonObject][]]> = new Map([
    ['tool', [{ arguments: { a: 1 } }, [['tools/call', { name: 'n', arguments: { a: 1 } }]]]],
    ['resource', [{ arguments: {} }, [['resources/read', { uri: 'n' }]]]],
    ['skill', [{ arguments: { skill: 'a' } }, [['resources/read', { uri: 'n' }]]]],
    ['prompt', [{ arguments: { a: 1 } }, [['prompts/get', { name: 'n', arguments: { a: '1' } }]]]],
    [
      'completion',
      [
        { arguments: { argument, context } },
        [
          ['completion/complete', { ref: { type: 'ref/prompt', name: 'n' }, argument, context }],
          ['completion/complete', { ref: { type: 'ref/resource', uri: 'n' }, argument, context }],
          // Some revisions have no context.
          ['completion/complete', { ref: { type: 'ref/prompt', name: 'n' }, argument }],
        ],
      ],
    ],
    ['extension', [{ name: 'example.test/n', arguments: { a: 1 } }, [['example.test/n', { a: 1 }]]]],
  ]);
  const all = [...forms.values()].flatMap(([, sent]) => sent);

  test.each(everyKind)('%s is sent in its own forms and in no others, with its own _meta', (kind) => {
    const [facts, own] = forms.get(kind) ?? [{}, []];
    const allowed = act({ kind, name: 'n', ...facts });
    for (const [method, params] of all) {
      const isOwn = own.some(([name, said]) => name === method && JSON.stringify(said) === JSON.stringify(params));
      const matches = (one: Act, more: JsonObject = {}): boolean =>
        matchRequest(one, request(1, method, { ...params, ...more })) !== undefined;
      expect(matches(allowed), `${kind}: ${method}`).toBe(isOwn);
      for (const key of ['note', 'cursor', 'task', 'requestId'])
        expect(matches(allowed, { [key]: 'psst' })).toBe(false);
      expect(matches(allowed, { _meta: noted })).toBe(false);
      expect(matches({ ...allowed, meta: noted }, { _meta: noted })).toBe(isOwn);
      expect(matches({ ...allowed, meta: noted })).toBe(false);
      expect(matches(allowed, { _meta: { progressToken: 1 } })).toBe(isOwn);
    }
  });

  test.each([...forms])('%s brings answers along where the protocol lets servers ask', (kind, [facts, sent]) => {
    const [[method, params] = ['', {}]] = sent;
    const leases = new Leases();
    leases.open(act({ kind: 'connect' }));
    leases.open(act({ kind, name: 'n', ...facts }));
    const question = { method: 'elicitation/create', params: { message: 'Who?' } };
    const asks = { resultType: 'input_required', inputRequests: { name: question }, requestState: 's' };
    leases.admit('files', request(1, method, params))(success(1, asks));
    const answers = { inputResponses: { name: { action: 'decline' } }, requestState: 's' };
    const again = (): void => leases.admit('files', request(2, method, { ...params, ...answers }))(undefined);
    if (['tool', 'resource', 'prompt'].includes(kind)) expect(again).not.toThrow();
    else expect(again).toThrow('no action with this name and these arguments is permitted');
  });
});

test('an extension method is not a method of any revision, not routine and not a notification', () => {
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/unsubscribe'];
  const own = [...lists, 'initialize', 'ping', 'server/discover', 'subscriptions/listen', 'logging/setLevel'];
  for (const method of [
    ...own,
    'tools/call',
    'resources/subscribe',
    'completion/complete',
    'notifications/example.test/x',
  ])
    expect(isExtensionMethod(method), method).toBe(false);
  for (const method of ['example.test/x', 'tasks/get']) expect(isExtensionMethod(method), method).toBe(true);
});
