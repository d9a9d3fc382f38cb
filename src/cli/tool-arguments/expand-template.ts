/** A URI from a template and what was given for its variables. */
import { McpError } from '../../errors.ts';
import { suggest } from '../../model/suggest.ts';
import { UriTemplate } from '../../model/uri-template.ts';
import { badArgument } from '../arguments.ts';
import type { RawArguments } from './read-tool-arguments.ts';
import { toTexts } from './to-texts.ts';

/** Throws `MCP_BAD_ARGUMENT`. */
export function expandTemplate(source: string, given: RawArguments): string {
  const template = read(source);
  const values = toTexts(given);
  for (const key of values.keys())
    if (!template.variables.includes(key))
      throw badArgument(key, `the template has no such variable; ${suggest(key, template.variables)}`);
  const missing = needed(source).find((name) => !values.has(name));
  if (missing !== undefined) throw badArgument(`Missing argument "${missing}"`, `${source} needs a value for it`);
  return template.expand(
    Object.fromEntries([...values].map(([key, texts]) => [key, texts.length > 1 ? texts : texts[0]])),
  );
}

function read(source: string): UriTemplate {
  try {
    return new UriTemplate(source);
  } catch (error) {
    if (error instanceof McpError && error.code === 'MCP_BAD_DEFINITION')
      throw badArgument(source, `it is no template: ${String((error.details as { why?: unknown }).why)}`);
    throw error;
  }
}

/** Variables of a query may be left out; all others are a part of the way. */
function needed(source: string): readonly string[] {
  const bodies = [...source.matchAll(/\{([^}]*)\}/g)].map(([, body = '']) => body);
  return bodies
    .filter((body) => !/^[?&;]/.test(body))
    .flatMap((body) => body.replace(/^[+#./]/, '').split(','))
    .map((variable) => variable.replace(/\*$|:\d+$/, ''));
}
