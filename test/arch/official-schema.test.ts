/** The schema check that all feature tests use finds errors. */
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import { officialSchema } from '../support/official-schema.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const message = (rest: object): Message => ({ jsonrpc: '2.0', ...rest }) as unknown as Message; // some are invalid on purpose
const said = (rest: object): Message => message({ id: 1, ...rest });

describe.each(revisions.map(({ id }) => id))('the official schema of %s', (revision) => {
  const official = officialSchema(revision);
  const params = revision < '2026-07-28' ? {} : { _meta: meta };
  const complete = revision < '2026-07-28' ? {} : { resultType: 'complete' };
  const cached = revision < '2026-07-28' ? {} : { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

  test('accepts what is right', () => {
    const call = said({ method: 'tools/call', params: { ...params, name: 'tide', arguments: {} } });
    const result = { ...complete, content: [{ type: 'text', text: 'x' }] };
    expect(official.faultsOf({ side: '>', message: call })).toEqual([]);
    expect(official.faultsOf({ side: '<', message: said({ result }), answers: 'tools/call' })).toEqual([]);
    const error = { code: -32602, message: 'Wrong' };
    expect(official.faultsOf({ side: '<', message: said({ error }), answers: 'tools/call' })).toEqual([]);
  });

  test('finds a member that is missing, misspelt or of the wrong type', () => {
    const list = (tool: object): string[] =>
      official.faultsOf({
        side: '<',
        message: said({ result: { ...cached, tools: [tool] } }),
        answers: 'tools/list',
      });
    expect(list({ name: 'tide', inputSchema: { type: 'object' } })).toEqual([]);
    expect(list({ name: 'tide' })).not.toEqual([]);
    expect(list({ name: 'tide', inputSchema: { type: 'object' }, icon: [] })).not.toEqual([]);
    expect(list({ name: 1, inputSchema: { type: 'object' } })).not.toEqual([]);
  });

  test('holds a result against the method it answers', () => {
    const result = { ...cached, tools: [] };
    expect(official.faultsOf({ side: '<', message: said({ result }), answers: 'tools/list' })).toEqual([]);
    expect(official.faultsOf({ side: '<', message: said({ result }), answers: 'prompts/list' })).not.toEqual([]);
  });

  test('knows who may say what', () => {
    const call = said({ method: 'tools/call', params: { ...params, name: 'tide' } });
    expect(official.faultsOf({ side: '<', message: call })).not.toEqual([]);
    const log = message({ method: 'notifications/message', params: { level: 'info', data: 1 } });
    expect(official.faultsOf({ side: '<', message: log })).toEqual([]);
    expect(official.faultsOf({ side: '>', message: log })).not.toEqual([]);
    const asked = official.faultsOf({ side: '<', message: said({ method: 'roots/list' }) });
    expect(asked.length > 0).toBe(revision === '2026-07-28');
  });
});
