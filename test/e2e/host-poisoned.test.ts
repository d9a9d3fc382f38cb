/** Hostile servers with deceptive names, descriptions and answers, next to two honest ones: shown or blocked, and the honest ones are not affected. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type AgentEvent,
  createHost,
  exportTools,
  type ModelRequest,
  rules,
  type ScriptLine,
  type Session,
  scriptedModel,
} from '../../src/host/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { eventually } from '../support/children.ts';
import { verifies } from '../support/verifies.ts';
import { bothWays, harbour, SECRET } from '../support/villains.ts';

const denied = { code: 'MCP_DENIED' };
const use = (name: string, input: JsonObject = {}): ScriptLine => [{ type: 'tool_use', id: name, name, input }];

/** The last message that the model reads. */
const lastOf = (requests: readonly ModelRequest[]): string => JSON.stringify(requests.at(-1)?.messages.at(-1));

async function ran(session: Session): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of session.run('Look around')) events.push(event);
  return events;
}

test('a definition that changes after it was approved, as a child → it is asked about again, and refused it is not called', async () => {
  await using port = await harbour('pulls', 'as a child', { consent: () => ({ allow: false }) });
  await port.session.call('evil.look');
  expect(port.asked).toEqual([]);
  const status = async (): Promise<string | undefined> =>
    (await port.session.tools()).find(({ name }) => name === 'evil.look')?.status;
  let now: string | undefined;
  await eventually('the change is known', () => {
    void status().then((found) => (now = found));
    return now === 'suspicious';
  });
  const error = await port.session.call('evil.look').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ ...denied, details: { rule: 'lock: ask { status: changed | suspicious }' } });
  expect(port.asked).toHaveLength(1);
  expect(port.asked[0]?.warnings.join(' ')).toContain('tells a model');
  expect(port.said('heard ')).toHaveLength(1);
  expect((await port.session.tools({ budgetTokens: 5_000 })).map(({ name }) => name)).not.toContain('evil.look');
  await port.unharmed();
});

test('a definition that changes while no host is looking, over HTTP → the lock file remembers what was approved', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-poisoned-'));
  try {
    const lockfile = join(folder, 'mcp.lock');
    await using port = await harbour('pulls', 'over HTTP', { lockfile });
    await port.session.call('evil.look');
    await port.host.close();
    await using later = createHost({
      servers: { evil: port.evil },
      lockfile,
      policy: [rules.allow({})],
      consent: () => ({ allow: false }),
      health: false,
    });
    await using session = later.session();
    expect(await session.tools()).toMatchObject([{ name: 'evil.look', status: 'suspicious' }]);
    await expect(session.call('evil.look')).rejects.toMatchObject(denied);
    expect(port.said('heard ')).toHaveLength(1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

for (const way of bothWays) {
  test(`names of another server's tools, ${way} → every name begins with a label that the host gave`, async () => {
    await using port = await harbour('shadows', way);
    const tools = await port.session.tools();
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.startsWith('crew.'))).toEqual(['crew.fail', 'crew.whoami']);
    expect(names).toContain('evil.wh~43e~ami');
    expect(tools.every(({ name, server }) => name.startsWith(`${server}.`))).toBe(true);
    for (const format of ['anthropic', 'openai', 'openai-responses', 'gemini'] as const)
      expect(exportTools(tools, format).nameOf('crew__whoami')).toBe('crew.whoami');
    const exported = exportTools(tools, 'anthropic').tools.map(({ name }) => String(name));
    expect(new Set(exported).size).toBe(names.length);
    expect(exported.filter((name) => !/^[A-Za-z_][\w-]{0,63}$/.test(name))).toEqual([]);
    expect((await port.session.call('evil.crew.whoami')).text).toBe('the villain answers crew.whoami');
    expect(port.records.at(-1)?.act).toMatchObject({ server: 'evil', name: 'crew.whoami' });
    await port.unharmed();
    expect(port.said('heard ')).toHaveLength(1);
  });

  test(`instructions to a model in definitions, ${way} → shown as suspicious, kept from models, asked about although a rule allows`, async () => {
    verifies('HOST-25');
    const model = scriptedModel(['done']);
    await using port = await harbour('poisons', way, { model, consent: () => ({ allow: false }) });
    const tools = (await port.session.tools()).filter(({ server }) => server === 'evil');
    const statuses = Object.fromEntries(tools.map(({ name, status }) => [name, status]));
    expect(statuses).toEqual({
      'evil.look': 'suspicious',
      'evil.tagged': 'suspicious',
      'evil.schema': 'suspicious',
      'evil.others': 'suspicious',
      'evil.fine': 'new',
      'evil.fails': 'new',
    });
    for (const { status, warnings } of tools) expect(warnings.length > 0).toBe(status === 'suspicious');
    expect(JSON.stringify(tools.map(({ description }) => description))).not.toMatch(/[\u{e0000}-\u{e007f}]/u);
    await ran(port.session);
    const [request] = model.requests;
    expect(request?.tools?.map(({ name }) => name)).toEqual([
      'read_result',
      'crew__fail',
      'crew__whoami',
      'evil__fails',
      'evil__fine',
      'mail__read',
    ]);
    expect(request?.system).not.toContain('IMPORTANT');
    await expect(port.session.call('evil.look')).rejects.toMatchObject(denied);
    expect(port.said('heard ')).toEqual([]);
    await port.unharmed();
  });

  test(`instructions in results and errors, ${way} → the model reads them in a fence, with a warning`, async () => {
    verifies('TOOL-56');
    const model = scriptedModel([use('evil__fine'), use('evil__fails'), 'done']);
    await using port = await harbour('poisons', way, { model });
    const events = await ran(port.session);
    expect(events.at(-1)).toMatchObject({ type: 'done', text: 'done' });
    const [, first = '', second = ''] = model.requests.map((request) => lastOf([request]));
    expect(first).toContain('The host warns of the text below. It ');
    expect(first.match(/<\/from-server>/g)).toHaveLength(1);
    expect(first).toMatch(/<\/from-server>"/);
    expect(first).not.toMatch(/[\u{e0000}-\u{e007f}]/u);
    expect(second).toContain('from-server label');
    expect(second.indexOf('IMPORTANT')).toBeGreaterThan(second.indexOf('from-server label'));
    await port.unharmed();
  });

  test(`instructions in prompts and resources, ${way} → they are shown to who picks them, and reach no model by themselves`, async () => {
    const model = scriptedModel(['done']);
    await using port = await harbour('poisons', way, { model });
    const [prompt] = await port.session.catalogue.prompts();
    expect(prompt).toMatchObject({ name: 'evil.greet', status: 'suspicious' });
    expect(prompt?.warnings.join(' ')).toContain('tells a model');
    await port.session.prompt('evil.greet');
    expect(port.asked.map(({ act }) => `${act.kind} ${act.name}`)).toEqual(['prompt greet']);
    await port.session.read('evil', 'note://1');
    await ran(port.session);
    expect(JSON.stringify(model.requests)).not.toContain('IMPORTANT');
    await port.unharmed();
  });

  test(`a description of 200,000 characters, ${way} → left out of the catalogue, which says why`, async () => {
    await using port = await harbour('giant', way);
    const names = (await port.session.tools()).map(({ name }) => name);
    expect(names).toContain('evil.look');
    expect(names).not.toContain('evil.wordy');
    expect(port.session.catalogue.problems()).toEqual([
      { server: 'evil', why: expect.stringContaining('"wordy" has a definition of more than') },
    ]);
    await port.unharmed();
  });

  test(`a result of 1 MiB, ${way} → the model reads its beginning, and may read on`, async () => {
    const model = scriptedModel([use('evil__long'), 'done']);
    await using port = await harbour('giant', way, { model });
    await ran(port.session);
    expect(lastOf(model.requests).length).toBeLessThan(4_000);
    expect(lastOf(model.requests)).toContain('read_result');
    expect(port.session.results.list()).toMatchObject([{ name: 'Result of evil.long', size: 1024 * 1024 }]);
    await port.unharmed();
  });

  test(`another server's name for itself, ${way} → rules, audit and catalogue go by the label`, async () => {
    await using port = await harbour('claims', way, {
      policy: [rules.allow({ server: ['crew', 'mail'] }), rules.allow({ kind: ['spawn', 'connect'] }), rules.deny({})],
    });
    await expect(port.session.call('evil.look')).rejects.toMatchObject(denied);
    expect((await port.session.tools()).map(({ name }) => name)).toEqual(['crew.fail', 'crew.whoami', 'mail.read']);
    expect(port.said('heard ')).toEqual([]);
    await port.unharmed();
  });

  test(`text of one server on its way to another, ${way} → noFlow denies it, also in other forms, and nothing has left`, async () => {
    verifies('HOST-13', 'HOST-46');
    const pieces = [
      SECRET,
      btoa(SECRET),
      encodeURIComponent(SECRET),
      SECRET.toUpperCase(),
      `as I said: ${SECRET.slice(5, 60)}`,
    ];
    const script = pieces.map(
      (note, i): ScriptLine => [{ type: 'tool_use', id: `s${i}`, name: 'evil__look', input: { note } }],
    );
    const model = scriptedModel([use('mail__read'), ...script, 'done']);
    await using port = await harbour('calm', way, { model, policy: [rules.noFlow('mail', 'evil'), rules.allow({})] });
    const events = await ran(port.session);
    expect(events.at(-1)).toMatchObject({ type: 'done', text: 'done' });
    expect(events.filter(({ type }) => type === 'denied')).toHaveLength(pieces.length);
    expect(port.said('heard ')).toEqual([]);
    expect((await port.session.call('evil.look', { note: 'nothing of that' })).text).toBe('all is well');
    await port.unharmed();
  });
}

test('a model that one server asks for what another said → noFlow stops the answer', async () => {
  verifies('HOST-46');
  const model = scriptedModel(Array.from({ length: 10 }, () => `You asked for it: ${SECRET}`));
  await using port = await harbour('loops', 'as a child', {
    model,
    policy: [rules.noFlow('mail', 'evil'), rules.allow({})],
  });
  await port.session.call('mail.read');
  const { text } = await port.session.call('evil.look');
  expect(model.requests).toHaveLength(10);
  expect(JSON.parse(text)).toEqual(Array.from({ length: 30 }, () => expect.stringMatching(/^error -/)));
  expect(text).not.toContain('anchor');
  await port.unharmed();
});
