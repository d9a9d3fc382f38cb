/** Tests the errors for invalid options of hosts, models and rules in programs without TypeScript. */
import { expect, test } from 'vitest';
import { createServer, tool } from '../index.ts';
import { anthropic, createHost, type HostOptions, openai, rules, scriptedModel } from './index.ts';

const shop = createServer({ name: 'shop', version: '1', parts: [tool({ name: 'say', run: () => 'hi' })] });
const list = 'The option "policy": it must be a list of rules, such as [rules.allow({ server: "shop" })]';
const byLabel = 'The option "servers": it must be an object of servers by label, such as { shop }, not';
/** Invalid options, which the compiler would reject. */
const hostOf = (options: unknown) => () => createHost(options as HostOptions);

test.each([
  [undefined, 'createHost({ servers }): the options must be an object, not undefined'],
  [{}, `${byLabel} undefined`],
  [{ servers: [shop] }, `${byLabel} a list`],
  [{ servers: shop }, `${byLabel} a server`],
  [{ servers: { shop: Promise.resolve(shop) } }, 'The server "shop": it must be a URL, { url }, { command, args }'],
  [{ servers: { shop: Promise.resolve(shop) } }, 'not a promise; await it first'],
  [{ servers: { shop }, polcy: [] }, 'there is no option "polcy"; did you mean policy?'],
  [{ servers: { shop }, policy: rules.allow({}) }, list],
  [{ servers: { shop }, policy: [{ allow: 'shop' }] }, list],
  [{ servers: { shop }, consent: 'yes' }, 'The option "consent": it must be a function that returns { allow }'],
  [{ servers: { shop }, audit: 'audit.ndjson' }, `such as ndjsonAudit('audit.ndjson'), not text`],
  [{ servers: { shop }, model: 'claude' }, 'such as anthropic({ apiKey, model }), not text'],
  [{ servers: { shop }, idleMs: '5' }, '"idleMs" must be a number that is not negative, not text'],
])('createHost() reports an invalid option, and what is valid instead: %#', (options, why) => {
  expect(hostOf(options)).toThrow(why);
});

test('host.session() rejects a misspelled principal, so that no act has another one', async () => {
  await using host = createHost({ servers: { shop } });
  const open = (options: unknown) => () => host.session(options as object); // as above
  expect(open('ada')).toThrow('host.session({ principal }): the options must be an object, not text');
  expect(open({ principle: 'ada' })).toThrow('there is no option "principle"; did you mean principal?');
});

test('session.run() rejects input that is neither text nor messages, and unknown options', async () => {
  await using host = createHost({ servers: { shop }, model: scriptedModel([]) });
  const run =
    (...args: readonly unknown[]) =>
    () =>
      (host.session().run as (...args: readonly unknown[]) => unknown)(...args);
  const expected = 'session.run(input, options): expected text, a result of session.prompt() or a list of messages';
  expect(run()).toThrow(`${expected}, not undefined`);
  for (const input of [{ prompt: 'Hi' }, { messages: [] }, [], ['Hi'], [{ role: 'user', content: 'Hi' }]])
    expect(run(input)).toThrow(expected);
  expect(run('Hi', { maxTurn: 3 })).toThrow('there is no option "maxTurn"; did you mean maxTurns?');
});

test('a model reports invalid options, and what is valid instead', () => {
  const made = (make: unknown, options?: unknown) => () => (make as (options: unknown) => unknown)(options);
  expect(made(scriptedModel)).toThrow("the script must be a list, such as ['Hello'], not undefined");
  expect(made(scriptedModel, 'Hello')).toThrow('not text');
  for (const provider of [anthropic, openai]) {
    expect(made(provider)).toThrow('A model: "apiKey" must be text, not undefined; is its variable set?');
    expect(made(provider, { apiKey: 'key' })).toThrow('A model: "model" must name at least one');
  }
});

test.each(['allow', 'ask', 'deny', 'budget'] as const)('rules.%s needs a match', (verdict) => {
  const make = rules[verdict] as (match?: unknown, limits?: object) => unknown; // as a program without types calls it
  for (const match of [undefined, null, 'shop', []])
    expect(() => make(match, { calls: 1, per: 'hour' })).toThrow(
      "The rule: it needs what to match, such as { server: 'shop' }; {} matches everything",
    );
});

test('rules.budget needs its limits', () => {
  const budget = rules.budget as (match: object) => unknown; // as above
  expect(() => budget({})).toThrow("The rule: a budget needs its limits, such as { calls: 10, per: 'hour' }");
});

test('a server that is not opened is named by its label', async () => {
  await using host = createHost({ servers: { shop } });
  await expect(host.session().call('shop.say')).rejects.toThrow(
    'connect shop (a server in this process) was denied: no rule matches, and no user can be asked',
  );
});
