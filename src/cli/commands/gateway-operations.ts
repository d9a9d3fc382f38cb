/** `mooring gateway status` and `mooring gateway drain`: call the operations endpoint of a running gateway. */
import { McpError } from '../../errors.ts';
import type { UpstreamState } from '../../gateway/upstreams/upstream.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { networkReason, printable } from '../../model/printable.ts';
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
    throw badArgument(base, 'expected the URL of its operations, such as http://127.0.0.1:9090');
  const secret = values.token ?? shell.env['MOORING_OPERATIONS_TOKEN'];
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  const signal = AbortSignal.any([shell.signal, AbortSignal.timeout(RESPONSE_MS)]);
  const response = await fetch(new URL(path, base), { method, headers, signal, redirect: 'error' }).catch(
    (thrown: unknown) => {
      throw new McpError('MCP_UNREACHABLE', { url: base, why: networkReason(thrown) }, { cause: thrown });
    },
  );
  if (response.status === 401 || response.status === 404)
    throw badArgument(
      base,
      `it does not answer ${path} here: give the address of "operations" in the file, not that of "listen", and its token with --token`,
    );
  return response.text();
}

export const gatewayStatus = command('gateway status', {
  usage: ['[<url>] [options]'],
  about: `Show the upstreams of a running gateway: state, circuit, conversations, calls, last failure.

What callers do not see is listed with the reason. The URL is that of "operations" in its file (default: http://127.0.0.1:9090).`,
  exits: [
    [0, 'the gateway is ready, and no circuit is open'],
    [1, 'it is draining, or the circuit of an upstream is open'],
  ],
  options: operationsOptions,
  examples: [['mooring gateway status'], ['mooring gateway status http://node-1.example:9090 --json']],
  async run(input) {
    const { print } = input;
    const status = parseObject(await askOperations(input, 'GET', '/status'));
    const upstreams = status?.['upstreams'];
    if (status === undefined || !Array.isArray(upstreams))
      throw new McpError('MCP_BAD_RESULT', { method: '/status', why: 'it is not the status of a gateway' });
    // Untrusted: entries that are not objects are skipped, and all members are printed as text.
    const rows = upstreams.filter(isObject) as unknown as readonly UpstreamState[];
    print.data(status);
    const facts = [status['name'], status['version'], status['state']].map((fact) => printable(String(fact)));
    print.line(`${facts.join(' ')}, ${printable(countOf(status['waitingCalls'], 'waiting call'))}`);
    for (const row of rows) for (const line of upstreamLines(row)) print.line(line);
    const withheld = Array.isArray(status['withheld']) ? status['withheld'].filter(isObject) : [];
    for (const { view, upstream, kind, name, why } of withheld)
      print.line(printable(`  withheld in ${view}: the ${kind} "${name}" of ${upstream}: ${why}`));
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

It is not ready from now on, takes calls for a few seconds more so that a load balancer can notice, lets running calls finish, and ends. SIGTERM does the same.`,
  options: operationsOptions,
  examples: [['mooring gateway drain'], ['mooring gateway drain http://node-1.example:9090']],
  async run(input) {
    const { print } = input;
    await askOperations(input, 'POST', '/drain');
    print.data({ draining: true });
    print.line('The gateway is draining.');
  },
});
