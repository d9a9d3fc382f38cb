/** `mooring gateway status`: what a running gateway says of its upstreams. */

import { McpError } from '../../errors.ts';
import type { UpstreamState } from '../../gateway/upstreams/upstream.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { printable } from '../../model/printable.ts';
import { rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { countOf } from '../count-of.ts';
import { exitCodes } from '../exit-codes.ts';
import { askOperations, operationsOptions } from '../gateway/operations-client.ts';

export const gatewayStatus = command({
  usage: ['[<url>] [options]'],
  about: `Show the upstreams of a running gateway: state, circuit, conversations, calls, last failure.

The URL is that of "operations" in its file (default: http://127.0.0.1:9090).`,
  exits: [
    [0, 'the gateway is ready, and no circuit is open'],
    [1, 'it is draining, or the circuit of an upstream is open'],
  ],
  options: operationsOptions,
  examples: [['mooring gateway status'], ['mooring gateway status http://node-1.example:9090 --json']],
  async run({ words, values }, { shell, print }: CommandContext) {
    const [url, ...rest] = words;
    rejectExtra(rest);
    const text = await askOperations({ url, method: 'GET', path: '/status', token: values.token }, shell);
    const status = parseObject(text);
    const upstreams = status?.['upstreams'];
    if (status === undefined || !Array.isArray(upstreams))
      throw new McpError('MCP_BAD_RESULT', { method: '/status', why: 'it is not the status of a gateway' });
    // What is not an upstream is not shown; the rest is read as text.
    const rows = upstreams.filter(isObject) as unknown as readonly UpstreamState[];
    print.data(status);
    const facts = [status['name'], status['version'], status['state']].map((fact) => printable(String(fact)));
    print.line(`${facts.join(' ')}, ${printable(countOf(status['waitingCalls'], 'waiting call'))}`);
    for (const row of rows) for (const line of upstreamLines(row)) print.line(line);
    const isWell = status['state'] === 'ready' && rows.every(({ circuit }) => circuit !== 'open');
    return isWell ? undefined : exitCodes.no;
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
    `${state}${revision === undefined ? '' : ` ${revision}`}`,
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
