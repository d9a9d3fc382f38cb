/** Questions of tools to the user, to the model and for folders: the same in every revision that can ask. */
import { expect } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { FormSchema } from '../../src/model/elicitation.ts';
import { everyRevision, type Scene } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';

const FORMS = '2025-06-18';
const RICH = '2025-11-25';
const STATELESS = '2026-07-28';

/** The params of all questions, in any form that the revision has. */
function questions({ wire, revision }: Scene, method: string): readonly JsonObject[] {
  if (revision < STATELESS) return wire.requests(method).map(({ params = {} }) => params);
  return wire.responses('tools/call').flatMap((response) => {
    const asked = 'result' in response ? response.result['inputRequests'] : undefined;
    const all = Object.values((asked ?? {}) as Record<string, { method: string; params: JsonObject }>); // as MRTR has it
    return all.filter((one) => one.method === method).map(({ params }) => params);
  });
}

everyRevision(
  'a form has every kind of field, in the words of the revision',
  { user: (user) => user.answer('your ship', { name: 'Beagle' }), since: FORMS },
  async (scene) => {
    verifies('ELIC-15', 'ELIC-17', 'ELIC-18', 'ELIC-19', 'ELIC-20');
    await scene.client.call('register');
    const [asked = {}] = questions(scene, 'elicitation/create');
    const { properties, required } = asked['requestedSchema'] as FormSchema; // the official schema has validated it
    const rich = scene.revision >= RICH;
    expect(asked['mode']).toBe(rich ? 'form' : undefined);
    expect(required).toEqual(['name']);
    expect(properties['name']).toEqual({ type: 'string', title: 'Name', minLength: 1, maxLength: 40 });
    expect(properties['crew']).toEqual({ type: 'integer', minimum: 1, maximum: 99, ...(rich ? { default: 4 } : {}) });
    expect(properties['insured']).toEqual({ type: 'boolean', default: true });
    expect(properties['flags']?.['type']).toBe(rich ? 'array' : 'string');
    if (rich) expect(properties['berth']?.['oneOf']).toHaveLength(2);
    else
      expect(properties['berth']).toEqual({
        type: 'string',
        enum: ['a', 'b'],
        enumNames: ['By the pier', 'At anchor'],
      });
  },
);

everyRevision(
  'what the user leaves out gets the defaults of the form',
  { user: (user) => user.answer('your ship', { name: 'Beagle', extras: ['water', 'power'] }), since: RICH },
  async ({ client }) => {
    verifies('ELIC-21', 'ELIC-22');
    expect(JSON.parse((await client.call('register')).text)).toEqual({
      name: 'Beagle',
      crew: 4,
      insured: true,
      rig: 'ketch',
      berth: 'b',
      flags: ['red'],
      extras: ['water', 'power'],
    });
  },
);

everyRevision(
  'several choices reach a form that has no word for them as text',
  { user: (user) => user.answer('your ship', { name: 'Beagle', flags: 'red, blue' }), only: [FORMS] },
  async ({ client }) => {
    verifies('ELIC-19');
    expect(JSON.parse((await client.call('register')).text)).toMatchObject({ name: 'Beagle', flags: ['red', 'blue'] });
  },
);

everyRevision(
  'declining and closing are told apart',
  { user: (user) => user.decline('your ship').cancel('steers').cancel('cooks').decline('sleeps'), since: FORMS },
  async ({ client }) => {
    verifies('ELIC-24', 'ELIC-38');
    expect((await client.call('register')).text).toBe('{"refused":"decline"}');
    expect((await client.call('pair')).text).toBe('cancel, cancel, decline');
  },
);

everyRevision(
  'questions asked together are answered together',
  { user: (user) => user.answer('steers', 'Ada').answer('cooks', 'Bo').answer('sleeps', 'Cy'), since: FORMS },
  async ({ client, revision, user, wire }) => {
    verifies('MRTR-005', 'MRTR-009', 'MRTR-022');
    expect((await client.call('pair')).text).toBe('Ada, Bo, Cy');
    const asked = user.asked.map(({ message }) => message);
    expect(asked).toEqual(['Who steers?', 'Who cooks?', 'Who sleeps?']);
    if (revision < STATELESS) return;
    // One round for the first two, one for the third, and the last call without questions.
    const rounds = wire.requests('tools/call').map(({ params }) => Object.keys(params?.['inputResponses'] ?? {}));
    expect(rounds).toEqual([[], ['first', 'second'], ['third']]);
  },
);

everyRevision(
  'a retry repeats the request under a new id, with the state as it came',
  { user: (user) => user.answer('Scuttle Beagle', true), since: STATELESS },
  async ({ client, wire }) => {
    verifies(
      'MRTR-001',
      'MRTR-004',
      'MRTR-006',
      'MRTR-023',
      'MRTR-026',
      'MRTR-028',
      'TOOL-70',
      'TOOL-71',
      'ELIC-6',
      'BASE-022',
      'STDIO-013',
    );
    await client.call('scuttle', { ship: 'Beagle' });
    const [first, second] = wire.requests('tools/call');
    const interim = wire.responses('tools/call')[0];
    const state = interim !== undefined && 'result' in interim ? interim.result['requestState'] : undefined;
    expect(state).toEqual(expect.any(String));
    expect(interim).toMatchObject({ result: { inputRequests: { sure: { method: 'elicitation/create' } } } });
    expect(interim).not.toHaveProperty('result.inputRequests.sure.id');
    expect(second?.id).not.toBe(first?.id);
    expect(second?.params).toMatchObject({ name: 'scuttle', arguments: { ship: 'Beagle' }, requestState: state });
    expect(wire.log.filter(({ side, message }) => side === '<' && 'method' in message && 'id' in message)).toEqual([]);
    expect(wire.log.filter(({ side, message }) => side === '>' && !('method' in message))).toEqual([]);
    expect(wire.log.filter(({ side }) => side === '>').length).toBeGreaterThanOrEqual(2);
  },
);

everyRevision(
  'a step runs once, however often the tool starts again',
  { user: (user) => user.answer('Scuttle Beagle for 300?', true).decline('Scuttle Erika'), since: FORMS },
  async ({ client }) => {
    const { text } = await client.call('scuttle', { ship: 'Beagle' });
    expect(JSON.parse(text)).toEqual({ ship: 'Beagle', price: 300 });
    await expect(client.call('scuttle', { ship: 'Erika' })).rejects.toThrow('The captain declined');
    const { text: journal } = await client.call('journal');
    expect(JSON.parse(journal)).toMatchObject({ steps: ['quote Beagle', 'scuttle Beagle', 'quote Erika'] });
  },
);

everyRevision(
  'a user who agreed to one question has not agreed to another question under the same key',
  { user: (user) => user.answer('costs 5.', true).decline('costs 500.'), since: FORMS },
  async ({ client, revision, user }) => {
    verifies('MRTR-009');
    const bought = await client.call('bid').then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
    const replayed = revision >= STATELESS;
    expect(user.asked.map(({ message }) => message)).toEqual(
      replayed ? ['It costs 5. Buy?', 'It costs 500. Buy?'] : ['It costs 5. Buy?'],
    );
    expect(bought).toContain(replayed ? 'The captain declined' : 'Bought for 5');
    const { text: journal } = await client.call('journal');
    expect(JSON.parse(journal)).toMatchObject({ steps: replayed ? [] : ['bought for 5'] });
  },
);

everyRevision(
  'the user is sent to a page, with an id where visits have one',
  { user: (user) => user.answer('passport'), since: RICH },
  async (scene) => {
    verifies('ELIC-23', 'ELIC-25', 'ELIC-26');
    expect((await scene.client.call('passport')).text).toBe('Passport: accept');
    const [asked] = questions(scene, 'elicitation/create');
    expect(asked).toMatchObject({
      mode: 'url',
      url: 'https://harbour.example/passport',
      message: 'Show your passport',
    });
    expect(asked?.['elicitationId']).toEqual(scene.revision < STATELESS ? expect.any(String) : undefined);
  },
);

everyRevision('a client without the capability is asked nothing', async ({ client, revision, wire }) => {
  verifies('MRTR-007', 'ROOT-6', 'SAMP-3');
  for (const name of ['register', 'passport', 'folders', 'course']) {
    const call = client.call(name);
    if (revision >= STATELESS) await expect(call).rejects.toMatchObject({ code: -32021 });
    else await expect(call).rejects.toThrow(/does not support/);
  }
  expect(wire.log.filter(({ side, message }) => side === '<' && 'method' in message)).toEqual([]);
});

everyRevision(
  'a client is asked only in the modes that it declared',
  { connect: { elicit: () => ({ action: 'accept' }), sample: () => 'declined' }, since: RICH },
  async ({ client, revision, wire }) => {
    verifies('ELIC-5', 'SAMP-10');
    for (const name of ['passport', 'course']) {
      const call = client.call(name);
      if (revision >= STATELESS) await expect(call).rejects.toMatchObject({ code: -32021 });
      else await expect(call).rejects.toThrow(/does not support \S+ \((elicitation\.url|sampling\.tools)\)/);
    }
    expect(wire.log.filter(({ side, message }) => side === '<' && 'method' in message)).toEqual([]);
  },
);

everyRevision(
  'the user cannot be asked before there was a way to',
  { user: (user) => user.answer('your ship', { name: 'Beagle' }), until: '2025-03-26' },
  async ({ client, user }) => {
    await expect(client.call('register')).rejects.toThrow(/does not support/);
    expect(user.asked).toEqual([]);
  },
);

everyRevision(
  'a tool that swallows its own suspension is reported, and nothing is lost where it cannot be suspended',
  { user: (user) => user.answer('Bite?', true), since: FORMS },
  async ({ client, revision }) => {
    const call = client.call('swallow');
    if (revision >= STATELESS) await expect(call).rejects.toThrow(/^Internal error/);
    else expect((await call).text).toBe('Bitten: true');
  },
);

everyRevision('the model of the client is asked', { user: (user) => user.samples('Roses are red') }, async (scene) => {
  verifies('SAMP-1', 'SAMP-2', 'SAMP-4', 'SAMP-16');
  const { text } = await scene.client.call('poem', { about: 'tides' });
  expect(JSON.parse(text)).toEqual({
    content: { type: 'text', text: 'Roses are red' },
    model: 'fake',
    stopReason: 'endTurn',
  });
  const [asked] = questions(scene, 'sampling/createMessage');
  expect(asked).toMatchObject({
    maxTokens: 50,
    systemPrompt: 'You are a sailor',
    messages: [{ role: 'user', content: { type: 'text', text: 'A poem about tides' } }],
  });
});

everyRevision(
  'a model that may use tools does so, where sampling has them',
  {
    user: (user) =>
      user.samples(({ messages }) =>
        messages.length > 1
          ? 'North it is'
          : {
              role: 'assistant',
              content: [{ type: 'tool_use', id: 'use-1', name: 'compass', input: {} }],
              model: 'fake',
              stopReason: 'toolUse',
            },
      ),
  },
  async (scene) => {
    verifies('SAMP-9', 'SAMP-19', 'SAMP-20', 'SAMP-21');
    const call = scene.client.call('course');
    if (scene.revision < RICH) {
      await expect(call).rejects.toThrow(/does not support/);
      return;
    }
    expect((await call).text).toContain('North it is');
    const [, told] = questions(scene, 'sampling/createMessage');
    expect(told?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'use-1' }] },
      { role: 'user', content: [{ type: 'tool_result', toolUseId: 'use-1' }] },
    ]);
  },
);

everyRevision(
  'a refusal of the client reaches the tool',
  { connect: { sample: () => 'declined' }, until: RICH },
  async ({ client, wire }) => {
    verifies('SAMP-33');
    await expect(client.call('poem', { about: 'tides' })).rejects.toThrow(/rejected sampling\/createMessage/);
    expect(wire.responses('sampling/createMessage')[0]).toMatchObject({ error: { code: -1 } });
  },
);

everyRevision(
  'folders are asked for',
  { connect: { roots: [{ uri: 'file:///home/ada', name: 'Home' }, { uri: 'file:///tmp' }] } },
  async ({ client, revision, wire }) => {
    verifies('ROOT-1', 'ROOT-2', 'ROOT-5');
    expect((await client.call('folders')).text).toBe('Home <file:///home/ada>\n <file:///tmp>');
    const declared = revision >= STATELESS ? wire.requests('tools/call')[0] : wire.requests('initialize')[0];
    expect(JSON.stringify(declared)).toContain(revision >= STATELESS ? '"roots":{}' : '"roots":{"listChanged":true}');
    expect(wire.requests('roots/list')).toHaveLength(revision >= STATELESS ? 0 : 1);
  },
);

everyRevision('a client that did not declare roots is not asked for them', {}, async ({ client, wire }) => {
  verifies('ROOT-16');
  await expect(client.call('folders')).rejects.toThrow(/does not support roots\/list .* pass .*"roots" to connect/);
  expect(wire.requests('roots/list')).toHaveLength(0);
  expect(JSON.stringify(wire.responses('tools/call'))).not.toContain('input_required');
});

const shownNow: { uri: string; name: string }[] = [];
everyRevision(
  'folders are asked for again in each call, and none of the last call are kept',
  { connect: { roots: () => shownNow } },
  async ({ client }) => {
    verifies('ROOT-16');
    for (const name of ['Home', 'Work']) {
      shownNow.splice(0, 1, { uri: `file:///${name}`, name });
      expect((await client.call('folders')).text).toBe(`${name} <file:///${name}>`);
    }
  },
);

everyRevision(
  'a change of folders is told where there is a word for it',
  { connect: { roots: [{ uri: 'file:///home/ada' }] } },
  async ({ client, revision, wire }) => {
    verifies('ROOT-3', 'ROOT-4');
    await client.rootsChanged();
    expect(wire.notifications('notifications/roots/list_changed')).toHaveLength(revision >= STATELESS ? 0 : 1);
  },
);
