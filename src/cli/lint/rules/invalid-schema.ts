/** Clients reject such a tool, or call it unchecked. */
import { McpError } from '../../../errors.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import type { Tool } from '../../../model/parts.ts';
import { foreignChecker } from '../../../schema/index.ts';
import { eachTool, type LintRule } from '../rule.ts';

export const invalidSchema: LintRule = {
  id: 'invalid-schema',
  severity: 'error',
  fix: 'Write JSON Schema 2020-12 with "type": "object" at the root of the input.',
  check: eachTool(({ inputSchema, outputSchema }) => {
    if (!isObject(inputSchema)) return 'has no inputSchema';
    if (inputSchema['type'] !== 'object') return 'has an inputSchema without "type": "object"';
    return faultIn(inputSchema, 'inputSchema') ?? (outputSchema && faultIn(outputSchema, 'outputSchema'));
  }),
};

function faultIn(schema: Tool['inputSchema'], what: string): string | undefined {
  try {
    foreignChecker(schema, what, { onWarning: () => undefined });
    return undefined;
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    // A limit of ours, not a rule of the protocol.
    return error.code === 'MCP_SCHEMA_TOO_COSTLY' ? undefined : `has an invalid ${what}: ${error.message}`;
  }
}
