/** Asks a running gateway at the address of its operations. */

import { McpError } from '../../errors.ts';
import { networkReason } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import type { Options } from '../command.ts';
import type { Shell } from '../shell.ts';

const ANSWER_MS = 10_000;

export const operationsOptions = {
  token: { type: 'string', value: 'token', about: 'The token of "operations" (default: MOORING_OPERATIONS_TOKEN)' },
} as const satisfies Options;

export interface OperationsRequest {
  readonly url: string | undefined;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token: string | undefined;
}

export async function askOperations({ url, method, path, token }: OperationsRequest, shell: Shell): Promise<string> {
  const base = url ?? 'http://127.0.0.1:9090';
  if (!/^https?:\/\//.test(base) || !URL.canParse(base))
    throw badArgument(base, 'expected the URL of its operations, such as http://127.0.0.1:9090');
  const secret = token ?? shell.env['MOORING_OPERATIONS_TOKEN'];
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  const signal = AbortSignal.any([shell.signal, AbortSignal.timeout(ANSWER_MS)]);
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
