/** Where data of a server can be sent, and what the user is shown before, in every revision. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { McpError } from '../../src/errors.ts';
import { memoryAudit } from '../../src/host/audit/memory-audit.ts';
import type { ConsentFunction, ConsentQuestion } from '../../src/host/consent/consent.ts';
import { createHost } from '../../src/host/create-host.ts';
import type { HostOptions } from '../../src/host/host.ts';
import { scriptedModel } from '../../src/host/models/scripted.ts';
import { rules } from '../../src/host/policy/rules.ts';
import { createServer, resource, type Server, ToolError, tool } from '../../src/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import { verifies } from '../support/verifies.ts';

const all = revisions.map(({ id }) => id).toReversed();
const diary = 'Met the harbour master at nine. The code of the boat house is 4711.';
const secret = 'sk-live-abcdefghijklmnop1234';

interface Served {
  readonly got: string[];
  readonly servers: { readonly notes: Server; readonly web: Server };
}

/** A server with a resource, and one that records what it receives. */
function served(revision: string, systemPrompt = 'Be brief.'): Served {
  const got: string[] = [];
  const about = { version: '1', revisions: [revision], onWarning: () => undefined };
  const post = tool({ name: 'post', input: z.object({ text: z.string() }), run: ({ text }) => void got.push(text) });
  const paint = tool({
    name: 'paint',
    run: async (_input, ctx) => {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Name a colour' } }] as const;
      const { content } = await ctx
        .sample('colour', { messages, maxTokens: 50, systemPrompt })
        .catch((error: unknown) => {
          throw error instanceof McpError ? new ToolError('no answer') : error;
        });
      got.push(JSON.stringify(content));
      return 'painted';
    },
  });
  return {
    got,
    servers: {
      notes: createServer({
        ...about,
        name: 'notes',
        parts: [resource({ uri: 'x://diary', name: 'diary', read: () => diary })],
      }),
      web: createServer({ ...about, name: 'web', parts: [post, paint] }),
    },
  };
}

const open = ({ servers }: Served, options: Partial<HostOptions>): ReturnType<typeof createHost> =>
  createHost({ servers, health: false, onWarning: () => undefined, ...options });

describe.each(all)('what a resource says, in %s', (revision) => {
  // A rule allows reading it; no rule is about where it goes.
  const policy = [rules.allow({ kind: 'connect' }), rules.allow({ kind: 'resource', server: 'notes' })];

  test.each<[string, ConsentFunction | undefined, boolean]>([
    ['nobody to ask', undefined, false],
    ['a no', () => ({ allow: false }), false],
    ['a yes', () => ({ allow: true }), true],
  ])('goes to no other server without consent to that very text: %s', async (_what, consent, goes) => {
    verifies('HOST-20');
    const given = served(revision);
    const asked: ConsentQuestion[] = [];
    const asking: ConsentFunction | undefined =
      consent &&
      ((question, signal) => {
        asked.push(question);
        return consent(question, signal);
      });
    await using host = open(given, { policy, ...(asking === undefined ? {} : { consent: asking }) });
    const session = host.session();
    const { text } = await session.read('notes', 'x://diary');
    const sending = session.call('web.post', { text });
    if (goes) await sending;
    else await expect(sending).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(given.got).toEqual(goes ? [diary] : []);
    if (consent !== undefined) expect(asked.map(({ act }) => act.arguments)).toEqual([{ text: diary }]);
  });

  test('goes to no model that a server asks, unless a rule lets it flow', async () => {
    verifies('HOST-20');
    const model = scriptedModel(['Green', 'Green']);
    const given = served(revision);
    const quiet = rules.allow({ kind: ['tool', 'sampling'] });
    await using host = open(given, { model, policy: [...policy, quiet] });
    const session = host.session();
    await session.read('notes', 'x://diary');
    await session.call('web.paint');
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests)).not.toContain('4711');
  });
});

describe.each(all)('a secret in sampling, in %s', (revision) => {
  const policy = [rules.allow({ kind: ['connect', 'tool'] })];
  const about = (question: ConsentQuestion): boolean => question.warnings.some((one) => one.includes('secret'));

  test('is pointed out wherever it stands, kept from the audit, and from whom the user keeps it', async () => {
    verifies('SAMP-40');
    const audit = memoryAudit();
    const given = served(revision, `The key is ${secret}.`);
    const asked: ConsentQuestion[] = [];
    const model = scriptedModel([`Use ${secret}`]);
    await using host = open(given, {
      ...{ policy, audit, model },
      consent: (question) => {
        asked.push(question);
        if (question.act.name === 'request') return { allow: true };
        const content = { type: 'text', text: 'Use your key' };
        return { allow: true, arguments: { ...question.act.arguments, content } };
      },
    });
    await host.session().call('web.paint');
    expect(asked.map((one) => [one.act.name, about(one)])).toEqual([
      ['request', true],
      ['answer', true],
    ]);
    expect(given.got.join()).toContain('Use your key');
    expect(given.got.join()).not.toContain(secret);
    expect(audit.records.filter(({ act }) => act.kind === 'sampling')).toHaveLength(4);
    expect(JSON.stringify(audit.records)).not.toContain(secret);
  });

  test('reaches neither the model nor the server that is refused', async () => {
    verifies('SAMP-40');
    const given = served(revision, `The key is ${secret}.`);
    const model = scriptedModel(['Green']);
    await using host = open(given, { policy, model, consent: (one) => ({ allow: !about(one) }) });
    // If the question is an interim result, declining it ends the call.
    const { isError } = await host
      .session()
      .call('web.paint')
      .catch(() => ({ isError: true }));
    expect(isError).toBe(true);
    expect([model.requests, given.got]).toEqual([[], []]);
  });
});
