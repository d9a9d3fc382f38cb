/** Hostile servers that flood, hang or spy, next to two honest ones: stopped, and the honest ones are not affected. */
import { expect, test } from 'vitest';
import { type FormQuestion, rules, scriptedModel } from '../../src/host/index.ts';
import { eventually } from '../support/children.ts';
import { verifies } from '../support/verifies.ts';
import { bothWays, harbour } from '../support/villains.ts';

/** The catalogue without the hostile server. */
const honest = ['crew.fail', 'crew.whoami', 'mail.read'];

test('a flood of news, log lines and progress → the call is answered, the log stays short, lists are asked for now and then', async () => {
  await using port = await harbour('floods', 'as a child');
  const heard: number[] = [];
  const onProgress = ({ progress }: { readonly progress: number }): void => void heard.push(progress);
  const { text } = await port.session.call('evil.look', {}, { onProgress });
  const { lists, seconds } = JSON.parse(text) as { lists: number; seconds: number };
  expect(heard.length).toBeGreaterThan(0);
  // Three at the start (initial, a change in between, before the call), then at most one per second.
  expect(lists).toBeLessThanOrEqual(3 + seconds);
  await port.unharmed();
  expect(port.host.servers.get('evil')?.log.length).toBeLessThanOrEqual(501);
  expect(port.host.servers.get('evil')?.state).toBe('ready');
});

for (const way of bothWays) {
  test(`a list without an end, ${way} → it is cut off with an error`, async () => {
    await using port = await harbour('endless', way);
    await expect(port.session.call('evil.look1')).rejects.toMatchObject({ code: expect.stringMatching(/^MCP_/) });
    await port.unharmed();
    expect(port.said('list ').length).toBeLessThanOrEqual(130);
    expect((await port.session.tools()).map(({ name }) => name)).toEqual(honest);
    expect(port.session.catalogue.problems()).toMatchObject([{ server: 'evil' }]);
  });

  test(`a cursor that comes back, ${way} → it is noticed at once`, async () => {
    await using port = await harbour('circles', way);
    await expect(port.session.call('evil.look')).rejects.toMatchObject({ code: expect.stringMatching(/^MCP_/) });
    await port.unharmed();
    expect(port.said('list ').length).toBeLessThanOrEqual(6);
  });

  test(`a result of 20 MiB, ${way} → an error for that call only`, async () => {
    await using port = await harbour('giant', way);
    await expect(port.session.call('evil.look')).rejects.toMatchObject({ code: expect.stringMatching(/^MCP_/) });
    await port.unharmed();
    expect((await port.session.call('evil.long')).text).toHaveLength(1024 * 1024);
  });

  test(`a definition that is nested too deep, ${way} → an error for who asked, by the deadline at the latest`, async () => {
    await using port = await harbour('deep', way, { timeouts: { timeoutMs: 5_000 } });
    await expect(port.session.call('evil.look')).rejects.toMatchObject({ code: expect.stringMatching(/^MCP_/) });
    await port.unharmed();
  });

  test.for(['hangs', 'drips'])(
    `a handshake that %s, ${way} → it has failed by its deadline, and holds up no other server`,
    async (mode) => {
      await using port = await harbour(mode, way, { timeouts: { connectTimeoutMs: 1_000 } });
      const calling = port.session.call('evil.look').catch((error: unknown) => error);
      await port.unharmed();
      expect(await calling).toMatchObject({ code: 'MCP_TIMEOUT' });
      expect(port.host.servers.get('evil')?.state).toBe('failed');
      expect((await port.session.tools()).map(({ name }) => name)).toEqual(honest);
      expect(port.session.catalogue.problems()).toMatchObject([{ server: 'evil' }]);
    },
  );
}

test('a crash on each call → what became of it is unknown, nothing is sent twice, and it is started again', async () => {
  await using port = await harbour('crashes', 'as a child', { random: () => 0 });
  await expect(port.session.call('evil.look')).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  await port.unharmed();
  await expect(port.session.call('evil.look')).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  await port.unharmed();
  expect(port.said('heard ')).toHaveLength(2);
});

test('noise on standard output → skipped and logged, with nothing in it that drives a terminal', async () => {
  await using port = await harbour('noisy', 'as a child');
  expect((await port.session.call('evil.look')).text).toBe('heard');
  const log = port.host.servers.get('evil')?.log.join('\n') ?? '';
  expect(log).toContain('Welcome!');
  expect(log).not.toContain('\u001b');
  expect(log).not.toContain('\u0007');
  await port.unharmed();
});

test('a tool that keeps asking the model → ten times a minute at most, each one an act', async () => {
  await using port = await harbour('loops', 'as a child', {
    model: scriptedModel(Array.from({ length: 40 }, () => 'go on')),
  });
  const { text } = await port.session.call('evil.look');
  const outcomes = JSON.parse(text) as readonly string[];
  expect(outcomes.filter((one) => one === 'go on')).toHaveLength(10);
  expect(outcomes.filter((one) => one.startsWith('error'))).toHaveLength(20);
  expect(port.records.filter(({ act, phase }) => act.kind === 'sampling' && phase === 'decided')).toHaveLength(20);
  await port.unharmed();
});

test('a tool that asks the model twenty times at once → four wait for it, the others are refused meanwhile', async () => {
  let release = (): void => undefined;
  const thinking = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slowly = async (): Promise<string> => {
    await thinking;
    return 'go on';
  };
  await using port = await harbour('deepens', 'as a child', {
    model: scriptedModel(Array.from({ length: 20 }, () => slowly)),
  });
  const calling = port.session.call('evil.look');
  await eventually('the others were refused', () => port.said('got error').length === 16);
  release();
  const outcomes = JSON.parse((await calling).text) as readonly string[];
  expect(outcomes.filter((one) => one === 'go on')).toHaveLength(4);
  await port.unharmed();
});

test('questions to a host that has no answers to give → method not found, each of them', async () => {
  await using port = await harbour('unasked', 'as a child');
  await port.session.call('evil.look');
  await eventually('all were answered', () => port.said('tools/list').length > 0);
  expect(port.said('sampling/')).toEqual(['sampling/createMessage: error -32601']);
  expect(port.said('roots/')).toEqual(['roots/list: error -32601']);
  expect(port.said('elicitation/')).toEqual(['elicitation/create: error -32601']);
  expect(port.said('tools/')).toEqual(['tools/list: error -32601']);
  await port.unharmed();
});

test('questions that no act has led to → they belong to no session, and a rule for sessions does not allow them', async () => {
  const model = scriptedModel(['a secret']);
  await using port = await harbour('unasked', 'as a child', {
    ...{ model, roots: { evil: ['.'], crew: ['src'] } },
    questions: { form: async () => ({ action: 'accept', content: { user: 'ada', password: 'hunter2' } }) },
    policy: [rules.allow({ kind: ['spawn', 'connect', 'tool'] })],
    consent: () => ({ allow: false }),
  });
  await port.session.call('evil.look');
  await eventually('all were answered', () => port.said('tools/list').length > 0);
  expect(port.said('sampling/')).toEqual([expect.stringMatching(/error -1$/)]);
  expect(port.said('roots/')).toEqual([expect.stringMatching(/error/)]);
  expect(port.said('elicitation/')).toEqual(['elicitation/create: decline']);
  expect(model.requests).toEqual([]);
  await port.unharmed();
});

test('a form that asks for a password → the user is told not to enter it', async () => {
  const shown: FormQuestion[] = [];
  await using port = await harbour('phishes', 'as a child', {
    questions: {
      form: async (question) => {
        shown.push(question);
        return { action: 'decline' };
      },
    },
  });
  expect((await port.session.call('evil.form')).text).toBe('decline');
  expect(shown).toMatchObject([{ server: 'evil', warnings: [expect.stringContaining('do not enter it')] }]);
  await port.unharmed();
});

test('thirty forms in a row → ten are shown, the rest are declined without bothering anybody', async () => {
  let shown = 0;
  await using port = await harbour('phishes', 'as a child', {
    questions: {
      form: async () => {
        shown++;
        return { action: 'cancel' };
      },
    },
  });
  const outcomes = JSON.parse((await port.session.call('evil.nag')).text) as readonly string[];
  expect(shown).toBe(10);
  expect(outcomes).toEqual([...Array<string>(10).fill('cancel'), ...Array<string>(20).fill('decline')]);
  await port.unharmed();
});

test.for([
  ['https://bank.test@evil.test/login', 'evil.test', 'a user name or a password'],
  ['https://xn--bnk-sna.test/login', 'xn--bnk-sna.test', 'letters that look like others'],
  ['https://elsewhere.test/login', 'elsewhere.test', 'It leads to elsewhere.test'],
] as const)(
  'a page at %s → it is shown with its host, and not opened without consent',
  async ([url, host, warning]) => {
    const opened: string[] = [];
    await using port = await harbour('phishes', 'as a child', {
      questions: { form: async () => ({ action: 'cancel' }), open: async (address) => void opened.push(address) },
      policy: [rules.allow({ kind: ['spawn', 'connect', 'tool'] })],
      consent: () => ({ allow: false }),
    });
    expect((await port.session.call('evil.visit', { url })).text).toBe('decline');
    expect(opened).toEqual([]);
    expect(port.asked).toMatchObject([{ act: { kind: 'visit', server: 'evil', name: url, arguments: { host } } }]);
    expect(port.asked[0]?.warnings.join(' ')).toContain(warning);
    await port.unharmed();
  },
);

test.for(['http://evil.test/', 'javascript:alert(1)', 'file:///etc/passwd', 'https://evil.test/$(reboot)`id`'])(
  'a page at %s → the user is not asked, and not sent there',
  async (url) => {
    verifies('HOST-37');
    const opened: string[] = [];
    await using port = await harbour('phishes', 'as a child', {
      questions: { form: async () => ({ action: 'cancel' }), open: async (address) => void opened.push(address) },
    });
    expect((await port.session.call('evil.visit', { url })).text).toMatch(/^decline$|^error -32602$/);
    expect(opened).toEqual([]);
    expect(port.asked).toEqual([]);
    await port.unharmed();
  },
);
