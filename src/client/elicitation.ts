/** Questions for the user: which ones are valid, and what an answer must be before it is sent. */
import { McpError, RpcError } from '../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { ElicitResult, FormSchema, FormValue } from '../model/elicitation.ts';
import { fieldFault, isField } from './form-field.ts';
import type { FormRequest, UrlRequest, UrlWarning } from './handlers.ts';

/** The request for a form; −32602 where it is not valid. */
export function formRequest(params: JsonObject): FormRequest {
  const { message, requestedSchema } = params;
  if (typeof message !== 'string') throw bad('"message" must be a string');
  if (!isObject(requestedSchema) || !isObject(requestedSchema['properties']))
    throw bad('"requestedSchema" must be an object schema with properties');
  const properties = Object.entries(requestedSchema['properties']);
  for (const [name, field] of properties) {
    if (!isObject(field) || !isField(field))
      throw bad(`field "${name}" must be a string, a number, a boolean or a choice; forms are flat`);
  }
  const schema = requestedSchema as FormSchema; // its properties are fields, as just seen
  return { message, requestedSchema: schema, defaults: defaultsOf(schema) };
}

function defaultsOf({ properties }: FormSchema): Readonly<Record<string, FormValue>> {
  const found = Object.entries(properties).filter(([name, field]) => {
    const preset = field['default'];
    return preset !== undefined && fieldFault(name, field, preset) === undefined;
  });
  return Object.fromEntries(found.map(([name, field]) => [name, field['default'] as FormValue])); // fieldFault found none
}

/** The answer as it leaves: completed by the defaults, checked against the schema, and without content unless accepted. */
export function formAnswer({ requestedSchema, defaults }: FormRequest, answer: ElicitResult): JsonObject {
  if (actionOf(answer) !== 'accept') return { action: answer.action };
  // Names are the server's: a map, because one of them can be a name that every object has.
  const given = Object.entries(answer.content ?? {}).filter(([, value]) => value !== undefined);
  const content = new Map([...Object.entries(defaults), ...given]);
  const { properties, required = [] } = requestedSchema;
  for (const name of required) if (!content.has(name)) throw wrong(`"${name}" is required and missing`);
  for (const [name, value] of content) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const fault = field === undefined ? `"${name}" was not asked for` : fieldFault(name, field, value);
    if (fault !== undefined) throw wrong(fault);
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** A valid URL escapes these characters. Unescaped, a program that starts a browser through a shell can run what is between them. */
const unwritten = /[\s"'<>\\^`{|}\p{Cc}]|\$\(/u;

/** The request to visit a page; −32602 where a browser cannot visit the URL. */
export function urlRequest(params: JsonObject, completed: Promise<void>): UrlRequest {
  const { message, url } = params;
  if (typeof message !== 'string') throw bad('"message" must be a string');
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (typeof url !== 'string' || parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw bad('"url" must begin with https: or http:');
  if (unwritten.test(url)) throw bad('"url" has characters that must be percent-encoded');
  return { message, url, host: parsed.host, warnings: warningsOf(parsed), completed };
}

function warningsOf({ username, password, protocol, hostname }: URL): UrlWarning[] {
  const warnings: UrlWarning[] = [];
  if (username !== '' || password !== '') warnings.push('credentials');
  if (protocol === 'http:') warnings.push('insecure');
  if (hostname.split('.').some((label) => label.startsWith('xn--'))) warnings.push('punycode');
  return warnings;
}

/** Accepting means consent, not completion, so nothing else is sent. */
export const urlAnswer = (answer: Pick<ElicitResult, 'action'>): JsonObject => ({ action: actionOf(answer) });

function actionOf(answer: Pick<ElicitResult, 'action'>): ElicitResult['action'] {
  const { action }: Partial<ElicitResult> = Object(answer); // nothing, from a handler without the compiler
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action;
  throw wrong(
    `"action" must be accept, decline or cancel, not ${JSON.stringify(action)}; return { action: 'accept', content }`,
  );
}

const bad = (why: string): RpcError => new RpcError(INVALID_PARAMS, `Invalid elicitation: ${why}`);
const wrong = (why: string): McpError => new McpError('MCP_BAD_RESULT', { method: 'elicitation/create', why });
