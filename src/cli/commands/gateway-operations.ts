/** `mooring gateway status` and `mooring gateway drain`: call the operations endpoint of a running gateway. */
import { McpError } from '../../errors.ts';
import type { UpstreamState } from '../../gateway/upstreams/upstream.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { networkReason, printable } from '../../model/printable.ts';
import { Masks } from '../../model/secrets.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { type CommandInput, command, type Options, withValue } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { countOf } from '../printer.ts';

const RESPONSE_MS = 10_000;

const operationsOptions = {
  token: withValue('token', 'The token of "operations" (default: MOORING_OPERATIONS_TOKEN)'),
} as const satisfies Options;

async function askOperations(
  { words: [base = 'http://127.0.0.1:9090', ...extra], values, shell }: CommandInput<typeof operationsOptions>,
  method: 'GET' | 'POST',
  path: string,
): Promise<string> {
  rejectExtra(extra);
  if (!/^https?:\/\//.test(base) || !URL.canParse(base))
    throw badArgument(base, 'expected the URL of "operations" in the gateway file, such as http://127.0.0.1:9090');
  const secret = values.token ?? shell.env['MOORING_OPERATIONS_TOKEN'];
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  const signal = AbortSignal.any([shell.signal, AbortSignal.timeout(RESPONSE_MS)]);
  const { status, text } = await fetch(new URL(path, base), { method, headers, signal, redirect: 'error' })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch((thrown: unknown) => {
      throw new McpError('MCP_UNREACHABLE', { url: base, why: networkReason(thrown) }, { cause: thrown });
    });
  if (status === 401)
    throw badArgument(base, `${path} requires the token of "operations" (HTTP 401); pass it with --token`);
  if (status === 404)
    throw badArgument(
      base,
      `${path} is not served at this URL (HTTP 404); use the URL of "operations" in the gateway file, not of "listen"`,
    );
  if (status >= 300) {
    const masks = new Masks();
    masks.add(secret ?? '');
    const said = printable(masks.mask(text.trim()).slice(0, 160));
    const body = said === '' ? '' : ` (${said})`;
    const advice = 'check the URL of "operations" in the gateway file';
    throw new McpError('MCP_HTTP_FAILED', { url: base, method: path, status, body, advice });
  }
  return text;
}

export const gatewayStatus = command('gateway status', {
  usage: ['[<url>] [options]'],
  about: `Show the upstreams of a running gateway: state, circuit breaker, conversations, calls, last failure.

Tools and other definitions that callers cannot see are listed with the reason. The URL is that of "operations" in the gateway file (default: http://127.0.0.1:9090).`,
  exits: [
    [0, 'the gateway is ready, and no circuit breaker is open'],
    [1, 'the gateway is draining, or the circuit breaker of an upstream is open'],
  ],
  options: operationsOptions,
  examples: [['mooring gateway status'], ['mooring gateway status http://node-1.example:9090 --json']],
  async run(input) {
    const { print } = input;
    const status = parseObject(await askOperations(input, 'GET', '/status'));
    const upstreams = status?.['upstreams'];
    if (status === undefined || !Array.isArray(upstreams))
      throw new McpError('MCP_BAD_RESULT', { method: '/status', why: 'expected the status of a gateway' });
    // Untrusted: entries that are not objects are skipped, and all members are printed as text.
    const rows = upstreams.filter(isObject) as unknown as readonly UpstreamState[];
    print.data(status);
    const facts = [status['name'], status['version'], status['state']].map((fact) => printable(String(fact)));
    print.line(`${facts.join(' ')}, ${printable(countOf(status['waitingCalls'], 'waiting call'))}`);
    for (const row of rows) for (const line of upstreamLines(row)) print.line(line);
    const withheld = Array.isArray(status['withheld']) ? status['withheld'].filter(isObject) : [];
    for (const { view, upstream, kind, name, why } of withheld)
      print.line(printable(`  hidden in view "${view}": ${kind} "${name}" of ${upstream}: ${why}`));
    const isHealthy = status['state'] === 'ready' && rows.every(({ circuit }) => circuit !== 'open');
    return isHealthy ? undefined : exitCodes.no;
  },
});

function upstreamLines({
  label,
  state,
  revision,
  circuit,
  conversations,
  calls,
  tools,
  lastFailure,
}: UpstreamState): readonly string[] {
  const facts = [
    // No connection has succeeded yet.
    state === 'unknown' ? 'not connected' : [state, revision].filter(Boolean).join(' '),
    ...(circuit === 'closed' ? [] : [`circuit ${circuit}`]),
    countOf(conversations, 'conversation'),
    `${countOf(calls?.open, 'call')}, ${calls?.waiting} waiting`,
    ...(tools === undefined ? [] : [countOf(tools, 'tool')]),
  ];
  return [
    `  ${printable(String(label))}: ${printable(facts.join(', '))}`,
    ...(lastFailure === undefined ? [] : [`    ${printable(String(lastFailure))}`]),
  ];
}

export const gatewayDrain = command('gateway drain', {
  usage: ['[<url>] [options]'],
  about: `Stop a gateway without losing calls.

/ready fails from now on. The gateway accepts calls for a few more seconds, so that load balancers can notice, then lets running calls finish and exits. SIGTERM does the same.`,
  options: operationsOptions,
  examples: [['mooring gateway drain'], ['mooring gateway drain http://node-1.example:9090']],
  async run(input) {
    const { print } = input;
    await askOperations(input, 'POST', '/drain');
    print.data({ draining: true });
    print.line('The gateway is draining.');
  },
});
