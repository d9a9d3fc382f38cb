/** Models and tools that need each other: how deep they go, and what of a conversation with tools gets through. */
import { expect, test } from 'vitest';
import { createHost, type HostOptions } from '../../src/host/host.ts';
import type { Model } from '../../src/host/model.ts';
import { rules } from '../../src/host/rules.ts';
import type { Session } from '../../src/host/session.ts';
import type { CreateMessageParams } from '../../src/model/sampling.ts';
import { revisions } from '../../src/revisions/index.ts';
import { createServer, type Server, tool } from '../../src/server/index.ts';
import { verifies } from '../support/verifies.ts';

const all = revisions.map(({ id }) => id).toReversed();

const hello: CreateMessageParams = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Name a colour' } }],
  maxTokens: 50,
};

/** A server with a tool that asks a model this. */
const painter = (revision: string, params: CreateMessageParams = hello): Server =>
  createServer({
    name: 'painter',
    version: '1',
    revisions: [revision],
    onWarning: () => undefined,
    parts: [tool({ name: 'paint', run: async (_, ctx) => JSON.stringify(await ctx.sample('colour', params)) })],
  });

const open = (servers: HostOptions['servers'], model: Model): HostOptions => ({
  ...{ servers, model, policy: [rules.allow({})], health: false, onWarning: () => undefined },
});

test.each(all)('models that ask each other by way of tools go three deep and no deeper, in %s', async (revision) => {
  verifies('SAMP-23');
  let [depth, deepest] = [0, 0];
  let session: Session | undefined;
  const paint = async (label: string): Promise<string> =>
    session?.call(`${label}.paint`).then(
      ({ text }) => text,
      (error: unknown) => String(error),
    ) ?? '';
  /** A model of an application that works with the tools of the host itself, of one server after the other. */
  const model: Model = {
    models: [{ name: 'busy' }],
    async reply() {
      deepest = Math.max(deepest, ++depth);
      const text = await paint(depth % 2 === 1 ? 'other' : 'harbour');
      depth--;
      return { model: 'busy', content: [{ type: 'text', text }], stopReason: 'endTurn' };
    },
  };
  await using host = createHost(open({ harbour: painter(revision), other: painter(revision) }, model));
  session = host.session();
  expect(await paint('harbour')).toContain('3 deep at most');
  // Whoever is done leaves room for the next.
  expect(await paint('harbour')).toContain('3 deep at most');
  expect(deepest).toBe(3);
});
