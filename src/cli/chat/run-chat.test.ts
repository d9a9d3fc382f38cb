import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../../test/support/children.ts';
import { FakeServer, silence } from '../../../test/support/fake-server.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { McpError } from '../../errors.ts';
import { memoryAudit } from '../../host/audit/memory-audit.ts';
import { rules } from '../../host/index.ts';
import { scriptedModel } from '../../host/models/scripted.ts';
import { createServer, prompt, resource, type Server, tool } from '../../index.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { chatRules } from '../commands/chat.ts';
import { Printer } from '../printer.ts';
import type { Shell } from '../shell.ts';
import { type ChatOptions, runChat } from './run-chat.ts';

const usualPolicy = [rules.allow({ kind: ['spawn', 'connect'] }), ...chatRules];

/** With a rule that asks about calls, including typed ones. */
const askingPolicy = [rules.ask({ kind: 'tool' }), ...usualPolicy];

interface Seen {
  readonly refunded: string[];
  cancelled: boolean;
  log: (text: string) => void;
}

const seen = (): Seen => ({ refunded: [], cancelled: false, log: () => undefined });

const shop = (did: Seen): Server =>
  createServer({
    name: 'shop',
    version: '1.0.0',
    onWarning: () => undefined,
    onError: () => undefined,
    parts: [
      tool({
        name: 'refund',
        description: 'Refund\u001b[2J one order',
        effects: 'destructive',
        input: z.object({ order: z.string(), days: z.number().optional() }),
        run: ({ order }) => {
          did.refunded.push(order);
          return `Refunded ${order}\u001b[2J`;
        },
      }),
      tool({
        name: 'wrap',
        effects: 'write',
        async run(_nothing, ctx) {
          const said = await ctx.ask('paper', 'Which paper?', z.object({ colour: z.string() }));
          return said.accepted ? `Wrapped in ${said.value.colour}` : 'Not wrapped';
        },
      }),
      tool({
        name: 'count',
        effects: 'read',
        run: (_nothing, ctx) => {
          ctx.log('info', 'counting begins');
          ctx.progress(1, 4, 'shelf one');
          return new Promise((_, reject) => {
            ctx.signal.addEventListener('abort', () => {
              did.cancelled = true;
              reject(new Error('cancelled'));
            });
          });
        },
      }),
      resource({ uri: 'shop://hours', name: 'hours', read: () => 'nine to five' }),
    ],
  });

class Shown extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 120;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += stripVTControlCharacters(chunk.toString());
    done();
  }
}

/** A chat in a terminal: the user types when a text appears. */
class Seat {
  readonly stdin: PassThrough & { isTTY: boolean };
  /** Both streams, as a terminal shows them. */
  readonly out: Shown;
  readonly over: AbortController = new AbortController();
  readonly did: Seen = seen();
  readonly ended: Promise<number>;
  #later = 0;
  #read = 0;

  constructor(options: Partial<ChatOptions> = {}, { tty = true, json = false, stdin = '' } = {}) {
    this.stdin = Object.assign(new PassThrough(), { isTTY: tty });
    this.out = new Shown(tty);
    if (!tty) this.stdin.end(stdin);
    // The user has had time to read.
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + this.#later };
    const shell: Shell = {
      ...{ stdin: this.stdin, stdout: this.out, stderr: this.out, clock, signal: this.over.signal },
      ...{
        env: { USER: 'ada', NO_COLOR: '1' },
        cwd: '/',
        home: '/',
        platform: 'linux',
        self: { command: '', args: [] },
      },
    };
    const print = new Printer(shell, { json });
    this.ended = runChat({ servers: { shop: shop(this.did) }, policy: usualPolicy, ...options }, { shell, print });
  }

  /** Types when this text appears after the last typed line. */
  async type(when: string, text: string): Promise<void> {
    await this.sees(when);
    this.#later += 1_000;
    this.stdin.write(text);
  }

  async sees(what: string): Promise<void> {
    await eventually(what, () => this.out.text.includes(what, this.#read));
    this.#read = this.out.text.indexOf(what, this.#read) + what.length;
  }
}

const PROMPT = 'mooring › ';
const CONSENT = '[?] explain: ';
const [CTRL_C, CTRL_D] = ['\u0003', '\u0004'];

describe('a chat on a terminal', () => {
  test('shows what there is, without anything that could drive the terminal', async () => {
    const seat = new Seat();
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
    expect(seat.out.text).toContain('1 server, 3 tools, 1 resource');
    expect(seat.out.text).toMatch(/destroys +shop\.refund\(order, days\?\) +Refund\\u\{1b\}\[2J one order/);
    expect(seat.out.text).toMatch(/resource +shop:\/\/hours +hours/);
  });

  test('calls what was typed without asking about it again', async () => {
    const seat = new Seat({ audit: memoryAudit() });
    await seat.type(PROMPT, '/call shop.refund order=A-1\r');
    await seat.sees('Refunded A-1');
    await seat.type(PROMPT, '/explain\r');
    await seat.sees('allow { kind: tool, where: function typedByYou');
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
    expect(seat.out.text).not.toContain(CONSENT);
  });

  test('asks about what a model calls while the user types a call of the same tool', async () => {
    const call = [{ type: 'tool_use', id: '1', name: 'shop__refund', input: { order: 'B-2' } }] as const;
    const seat = new Seat({ model: scriptedModel([call, 'Done.']) });
    await seat.type(PROMPT, '/call shop.refund order=A-1\r');
    await seat.sees('Refunded A-1');
    await seat.type(PROMPT, 'refund B-2 too\r');
    await seat.type(CONSENT, 'n\r');
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
    expect(seat.did.refunded).toEqual(['A-1']);
  });

  test('calls what was agreed to where a rule asks, and explains who did', async () => {
    const seat = new Seat({ audit: memoryAudit(), policy: askingPolicy });
    await seat.type(PROMPT, '/call shop.refund order="A 1"\r');
    await seat.type(CONSENT, 'y\r');
    await seat.sees('Refunded A 1\\u001b[2J');
    await seat.sees('action 2; /explain 2 shows who allowed it');
    await seat.type(PROMPT, '/explain\r');
    await seat.sees('action 2: tool refund of shop');
    await seat.sees('you said  yes');
    await seat.type(PROMPT, CTRL_D);
    expect(await seat.ended).toBe(0);
    expect(seat.did.refunded).toEqual(['A 1']);
  });

  test('does not call what the user declined, and calls what was put in its place', async () => {
    const seat = new Seat({ policy: askingPolicy });
    await seat.type(PROMPT, '/call shop.refund order=A-1\r');
    await seat.type(CONSENT, 'n\r');
    await seat.sees('declined: you did not agree to shop.refund; /explain 2 shows why');
    await seat.type(PROMPT, '/call shop.refund order=A-1\r');
    await seat.type(CONSENT, 'e\r');
    await seat.type('on one line: ', '{"order": "B-2"}\r');
    await seat.type('Send this?', 'y\r');
    await seat.sees('Refunded B-2');
    await seat.type(PROMPT, '/quit\r');
    await seat.ended;
    expect(seat.did.refunded).toEqual(['B-2']);
  });

  test('asks what a server asks', async () => {
    const seat = new Seat();
    await seat.type(PROMPT, '/call shop.wrap\r');
    await seat.type('  > ', 'red\r');
    await seat.type('[x] dismiss: ', 'y\r');
    await seat.sees('Wrapped in red');
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
  });

  test('shows how far something is and what is logged, and calls it off on Ctrl-C', async () => {
    verifies('CANCEL-011');
    const seat = new Seat({ policy: askingPolicy });
    await seat.type(PROMPT, '/call shop.count\r');
    await seat.type(CONSENT, 'w\r');
    await seat.sees('shop │ info: counting begins');
    await seat.type('25 % shelf one', CTRL_C);
    await seat.sees('Cancelling.');
    await seat.sees('cancelled');
    await seat.type(PROMPT, '/approvals\r');
    await seat.sees('tool count of shop  with any arguments  for this session');
    await seat.type(PROMPT, '/approvals forget 1\r');
    await seat.sees('No approvals');
    await seat.type(PROMPT, CTRL_C);
    expect(await seat.ended).toBe(0);
    expect(seat.did.cancelled).toBe(true);
  });

  test('waits no longer when Ctrl-C is pressed twice', async () => {
    let asked = false;
    const reply = (): Promise<never> => {
      asked = true;
      return new Promise(() => undefined);
    };
    const seat = new Seat({ model: { models: [{ name: 'deaf' }], reply } });
    await seat.type(PROMPT, 'hello\r');
    await eventually('the model is asked', () => asked);
    seat.stdin.write(CTRL_C);
    await seat.type('Ctrl-C again quits', CTRL_C);
    expect(await seat.ended).toBe(130);
  });

  test('drops what is being typed on Ctrl-C, and goes when nothing is', async () => {
    const seat = new Seat();
    await seat.type(PROMPT, `/call shop.refund${CTRL_C}`);
    await seat.type(PROMPT, CTRL_C);
    expect(await seat.ended).toBe(0);
    expect(seat.did.refunded).toEqual([]);
  });

  test('completes commands and the names of tools', async () => {
    const seat = new Seat();
    await seat.type(PROMPT, '/ca\t');
    await seat.type('/call ', 'shop.re\t');
    await seat.type('shop.refund ', 'order=A-1\r');
    await seat.sees('Refunded A-1');
    await seat.type(PROMPT, '/quit\r');
    await seat.ended;
  });

  test('runs every line that was pasted, and none of them answers a question', async () => {
    const seat = new Seat({ policy: askingPolicy });
    await seat.type(PROMPT, '/read shop://hours\r/call shop.refund order=A-1\ry\r/servers\r');
    await seat.sees('nine to five');
    await seat.type(CONSENT, 'n\r');
    await seat.sees('error y: a line without a slash goes to a model');
    await seat.sees('● shop');
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
    expect(seat.did.refunded).toEqual([]);
  });

  test('shows what a model says and does, as it happens', async () => {
    verifies('TOOL-61');
    const call = (id: string, order: string) =>
      [{ type: 'tool_use', id, name: 'shop__refund', input: { order } }] as const;
    const model = scriptedModel([call('1', 'A-1'), call('2', 'B-2'), 'One of two.']);
    const seat = new Seat({ model });
    await seat.type(PROMPT, 'refund both\r');
    await seat.sees('→ shop.refund {"order":"A-1"}');
    await seat.type(CONSENT, 'y\r');
    await seat.sees('← Refunded A-1');
    await seat.type(CONSENT, 'n\r');
    await seat.sees('✗ you declined shop.refund');
    await seat.sees('One of two.');
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
  });

  test('shows the messages of a prompt, and sends them to the model', async () => {
    const model = scriptedModel(['Dear customer']);
    const apology = prompt({ name: 'apology', render: () => 'Write an apology' });
    const server = createServer({ name: 'shop', version: '1', parts: [apology] });
    const seat = new Seat({ model, servers: { shop: server } });
    await seat.type(PROMPT, '/prompt shop.apology\r');
    await seat.sees('Write an apology');
    await seat.sees('Dear customer');
    expect(model.requests.map(({ messages }) => messages)).toEqual([
      [{ role: 'user', content: [{ type: 'text', text: 'Write an apology' }] }],
    ]);
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
  });

  test('cancels what a model has begun', async () => {
    const model = scriptedModel([[{ type: 'tool_use', id: '1', name: 'shop__count', input: {} }]]);
    const seat = new Seat({ model });
    await seat.type(PROMPT, 'count\r');
    await seat.type(CONSENT, 'y\r');
    await seat.type('25 % shelf one', CTRL_C);
    await seat.sees('cancelled');
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
    expect(seat.did.cancelled).toBe(true);
    expect(seat.out.text).not.toContain('error');
  });

  test('says what is wrong with a line, and what was probably meant', async () => {
    const seat = new Seat();
    const wrong: readonly (readonly [string, string])[] = [
      ['/toosl', 'did you mean /tools'],
      ['/call shop.refnud', 'did you mean shop.refund?'],
      ['/call shop.refund', 'Missing argument "order": expected a string'],
      ['/call shop.refund order=A days=soon', 'a number'],
      ['/call shop.refund -', 'expected key=value, or one JSON object'],
      [
        '/read shop://houses',
        'no server lists this resource (to read it anyway: /read <server> <uri>); did you mean shop://hours?',
      ],
      ['/read shpo shop://hours', 'unknown server; did you mean shop?'],
      ['/prompt nothing', 'unknown prompt; none are available'],
      ['/log shpo', 'did you mean shop?'],
      ['/explain 99', 'unknown action; expected a number from 1 to'],
      ['/approvals forget 3', 'there are no approvals to forget'],
      ['/servers now', 'unexpected argument'],
      ['hello', 'ANTHROPIC_API_KEY'],
    ];
    for (const [line, fault] of wrong) {
      await seat.type(PROMPT, `${line}\r`);
      await seat.sees(fault);
    }
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
    expect(seat.did.refunded).toEqual([]);
  });

  test('ends when the process is told to', async () => {
    const seat = new Seat();
    await seat.sees(PROMPT);
    seat.over.abort();
    expect(await seat.ended).toBe(130);
  });

  test('fails as its servers do, if none can be opened', async () => {
    const why = 'no route';
    const nowhere = (): Promise<never> => Promise.reject(new McpError('MCP_UNREACHABLE', { url: 'nowhere', why }));
    await expect(new Seat({ servers: { nowhere } }).ended).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
    const seat = new Seat({ servers: { nowhere, shop: shop(seen()) } });
    await seat.sees('! nowhere: ');
    await seat.type(PROMPT, '/quit\r');
    expect(await seat.ended).toBe(0);
  });
});

describe('a chat without a terminal', () => {
  test('reads lines, does what the rules allow, refuses what would have to be asked, and says so when it ends', async () => {
    const stdin = '/read shop://hours\n\n/call shop.refund order=A-1\n/frob\n';
    const seat = new Seat({ policy: askingPolicy }, { tty: false, stdin });
    expect(await seat.ended).toBe(1);
    expect(seat.out.text).toContain('nine to five');
    expect(seat.out.text).toContain('not running in a terminal');
    expect(seat.out.text).toContain('unknown command');
    expect(seat.did.refunded).toEqual([]);
  });

  test('declines what a server asks, and says so', async () => {
    const seat = new Seat({}, { tty: false, stdin: '/call shop.wrap\n' });
    expect(await seat.ended).toBe(0);
    expect(seat.out.text).toContain('shop: "Which paper?" was declined: not running in a terminal');
    expect(seat.out.text).toContain('Not wrapped');
  });

  test.each([
    ['/read shop://hours\n/quit\n/frob\n', 0],
    ['/frob\n/call shop.refund order=A-1\n', 2],
    ['hello\n', 2],
  ])('of %j ends with %i', async (stdin, code) => {
    expect(await new Seat({}, { tty: false, stdin }).ended).toBe(code);
  });

  test('tells everything as a line of JSON where JSON is wanted', async () => {
    const model = scriptedModel([[{ type: 'tool_use', id: '1', name: 'shop__refund', input: { order: 'A' } }], 'No.']);
    const stdin = '/read shop://hours\n/call shop.refund order=A\nrefund it\n/explain\n';
    const seat = new Seat({ model, policy: askingPolicy }, { tty: false, json: true, stdin });
    expect(await seat.ended).toBe(1);
    const events = seat.out.text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { type: string });
    expect(events.map(({ type }) => type)).toEqual([
      ...['catalogue', 'resource', 'error'],
      ...['usage', 'approval', 'tool-start', 'denied', 'text', 'usage', 'done', 'explained'],
    ]);
    expect(events[2]).toMatchObject({ type: 'error', code: 'MCP_DENIED' });
    expect(events.at(-1)).toMatchObject({ records: [{ act: { name: 'refund', principal: 'ada' }, allowed: false }] });
  });
});

test('Ctrl-C while a server does not list its tools ends the chat', async () => {
  let asked = 0;
  const on = {
    'tools/list': (): typeof silence => {
      asked++;
      return silence;
    },
  };
  const { transport } = new FakeServer({ revision: '2025-11-25', capabilities: { tools: {} }, on });
  const seat = new Seat({ servers: { silent: transport } }, { tty: false });
  await eventually('a list', () => asked > 0);
  seat.over.abort('SIGINT');
  await expect(seat.ended).rejects.toThrow('SIGINT');
});
