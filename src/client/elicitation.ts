/** Validates elicitation requests of the server, and the user's answers before they are sent. */
import { McpError, RpcError } from '../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { ElicitResult, FormSchema, FormValue } from '../model/elicitation.ts';
import { fieldFault, isField } from './form-field.ts';
import type { FormRequest, UrlRequest, UrlWarning } from './handlers.ts';

/** Reads a form request. Throws −32602 if it is invalid. */
export function readFormRequest(params: JsonObject): FormRequest {
  const { message, requestedSchema } = params;
  if (typeof message !== 'string') throw invalidRequest('"message" must be a string');
  if (!isObject(requestedSchema) || !isObject(requestedSchema['properties']))
    throw invalidRequest('"requestedSchema" must be an object schema with properties');
  const properties = Object.entries(requestedSchema['properties']);
  for (const [name, field] of properties) {
    if (!isObject(field) || !isField(field))
      throw invalidRequest(`field "${name}" must be a string, a number, a boolean or a choice; forms are flat`);
  }
  const { required = [] } = requestedSchema;
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    throw invalidRequest('"required" must be a list of names');
  const schema = requestedSchema as FormSchema; // its properties are fields, as checked above
  return { message, requestedSchema: schema, defaults: defaultsOf(schema) };
}

function defaultsOf({ properties }: FormSchema): Readonly<Record<string, FormValue>> {
  const found = Object.entries(properties).filter(([name, field]) => {
    const preset = field['default'];
    return preset !== undefined && fieldFault(name, field, preset) === undefined;
  });
  return Object.fromEntries(found.map(([name, field]) => [name, field['default'] as FormValue])); // fieldFault found no fault
}

/** Encodes the answer. An accepted one is completed with the defaults and validated; any other is sent without content. */
export function encodeFormAnswer({ requestedSchema, defaults }: FormRequest, answer: ElicitResult): JsonObject {
  if (actionOf(answer) !== 'accept') return { action: answer.action };
  // A Map, because the server chooses the names: `__proto__` would be prototype pollution.
  const given = Object.entries(answer.content ?? {}).filter(([, value]) => value !== undefined);
  const content = new Map([...Object.entries(defaults), ...given]);
  const { properties, required = [] } = requestedSchema;
  for (const name of required) if (!content.has(name)) throw invalidAnswer(`"${name}" is required and missing`);
  for (const [name, value] of content) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const fault = field === undefined ? `"${name}" was not asked for` : fieldFault(name, field, value);
    if (fault !== undefined) throw invalidAnswer(fault);
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** Characters that a valid URL percent-encodes. Unencoded, they allow shell injection in programs that start a browser through a shell. */
const unescaped = /[\s"'<>\\^`{|}\p{Cc}]|\$\(/u;

/** Reads a request to visit a page. Throws −32602 if its URL is not a valid http(s) URL. */
export function readUrlRequest(params: JsonObject, completed: Promise<void>): UrlRequest {
  const { message, url } = params;
  if (typeof message !== 'string') throw invalidRequest('"message" must be a string');
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (typeof url !== 'string' || parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw invalidRequest('"url" must begin with https: or http:');
  if (unescaped.test(url)) throw invalidRequest('"url" has characters that must be percent-encoded');
  return { message, url, host: parsed.host, warnings: warningsOf(parsed), completed };
}

function warningsOf({ username, password, protocol, hostname }: URL): UrlWarning[] {
  const warnings: UrlWarning[] = [];
  if (username !== '' || password !== '') warnings.push('credentials');
  if (protocol === 'http:') warnings.push('insecure');
  if (hostname.split('.').some((label) => label.startsWith('xn--'))) warnings.push('punycode');
  return warnings;
}

/** Sends only the action: accepting a visit means consent, not completion. */
export const encodeUrlAnswer = (answer: Pick<ElicitResult, 'action'>): JsonObject => ({ action: actionOf(answer) });

function actionOf(answer: Pick<ElicitResult, 'action'>): ElicitResult['action'] {
  const { action }: Partial<ElicitResult> = Object(answer); // a handler without TypeScript can return undefined
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action;
  throw invalidAnswer(
    `"action" must be accept, decline or cancel, not ${JSON.stringify(action)}; return { action: 'accept', content }`,
  );
}

const invalidRequest = (why: string): RpcError => new RpcError(INVALID_PARAMS, `Invalid elicitation: ${why}`);
const invalidAnswer = (why: string): McpError => new McpError('MCP_BAD_RESULT', { method: 'elicitation/create', why });
