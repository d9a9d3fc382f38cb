import { expect, test } from 'vitest';
import { RpcError } from '../../errors.ts';
import { createServer, prompt, tool, use } from '../../index.ts';
import { failureText } from '../offer.ts';
import { offerOfServer } from './version-command.ts';

test('a list that fails is named, and the version is served with the rest', async () => {
  const parts = [tool({ name: 'refund', run: () => '' }), prompt({ name: 'apology', render: () => '' })];
  const guarded = use(createServer({ name: 'shop', version: '1', parts }), (next) => async (message, link) => {
    if ('method' in message && message.method === 'prompts/list') throw new RpcError(-32603, 'db down');
    return next(message, link);
  });
  const { offer, failed } = await offerOfServer(guarded);
  expect(offer).toMatchObject({ name: 'shop', tools: [{ name: 'refund' }], prompts: [] });
  expect(failed.map(failureText)).toEqual(['prompts/list failed: db down']);
});
