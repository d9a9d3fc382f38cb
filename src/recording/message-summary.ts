/** Summarizes a message in one line: its arguments, the text of its result, or its progress. */
import { isObject, type JsonObject, type Message } from '../jsonrpc/message.ts';
import { cutText } from '../model/cut-text.ts';
import { CLIENT_INFO, DISCOVER, PROTOCOL_VERSION, SERVER_INFO } from '../model/names.ts';
import { printable } from '../model/printable.ts';
import { textOfValue } from '../model/text-of-value.ts';

const MAX_SUMMARY = 160;
const MAX_SUBJECT = 200;
/** Names that the summary of a list shows. */
const MAX_NAMES = 8;
/** Members that summaries omit: those that `subjectOf` shows, and those that every message has. */
const omitted: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'ref', 'requestId', '_meta', 'resultType']);

/** The subject of a message: the name of the tool or prompt, the URI, or an id. */
export function subjectOf(message: Message): string | undefined {
  const params = 'params' in message ? message.params : undefined;
  if (!isObject(params)) return undefined;
  const { ref } = params;
  const subject =
    params['name'] ?? params['uri'] ?? params['taskId'] ?? (isObject(ref) ? (ref['name'] ?? ref['uri']) : undefined);
  if (typeof subject === 'string') return cutText(subject, MAX_SUBJECT);
  return params['requestId'] === undefined
    ? undefined
    : cutText(`request ${textOfValue(params['requestId'])}`, MAX_SUBJECT);
}

/** Undefined if a message contains nothing beyond its method and subject. */
export function messageSummary({ method, params = {}, result, error, url }: JsonObject): string | undefined {
  const content = isObject(error)
    ? error['message']
    : isObject(result)
      ? resultContent(result)
      : (url ?? (method === DISCOVER ? discoverContent(params) : paramsContent(params)));
  const line =
    content === undefined
      ? ''
      : textOfValue(content)
          .slice(0, 4 * MAX_SUMMARY)
          .replaceAll(/\s+/g, ' ')
          .trim();
  if (line === '' || line === '{}') return undefined;
  return printable(line.length > MAX_SUMMARY ? `${cutText(line, MAX_SUMMARY - 1)}…` : line);
}

function paramsContent(params: unknown): unknown {
  const rest = Object.fromEntries(
    Object.entries(isObject(params) ? params : {}).filter(([name]) => !omitted.has(name)),
  );
  const { progress, total, message, messages, level, data, argument, clientInfo, arguments: args } = rest;
  if (progress !== undefined)
    return joinTexts(total === undefined ? progress : `${textOfValue(progress)} of ${textOfValue(total)}`, message);
  if (level !== undefined) return joinTexts(level, data);
  if (isObject(argument)) return joinTexts(argument['name'], argument['value']);
  if (rest['reason'] !== undefined) return rest['reason'];
  if (isObject(clientInfo)) return clientText(clientInfo, rest['protocolVersion']);
  if (rest['status'] !== undefined) return joinTexts(rest['status'], rest['statusMessage']);
  if (isObject(rest['notifications'])) return Object.keys(rest['notifications']).join(', ');
  return message ?? (Array.isArray(messages) ? textOfContent(messages.at(-1)) : (args ?? rest));
}

function discoverContent(params: unknown): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? clientText(meta[CLIENT_INFO], meta[PROTOCOL_VERSION]) : undefined;
}

const clientText = (clientInfo: unknown, revision: unknown): string =>
  `${programName(clientInfo)}, asks for ${textOfValue(revision)}`;

const lists = ['tools', 'prompts', 'resources', 'resourceTemplates', 'roots', 'tasks', 'skills', 'values'] as const;

function resultContent(result: JsonObject): unknown {
  const rest = Object.fromEntries(Object.entries(result).filter(([name]) => !omitted.has(name)));
  const { inputRequests, serverInfo, supportedVersions, capabilities, completion, task } = rest;
  const { content, contents, messages, action } = rest;
  if (isObject(inputRequests)) return `asks for ${Object.keys(inputRequests).join(', ')}`;
  if (Array.isArray(supportedVersions)) {
    const meta = result['_meta'];
    return serverText((isObject(meta) ? meta[SERVER_INFO] : undefined) ?? serverInfo, supportedVersions, capabilities);
  }
  if (isObject(serverInfo)) return serverText(serverInfo, [rest['protocolVersion']], capabilities);
  if (action !== undefined) return content === undefined ? action : `${textOfValue(action)} ${textOfValue(content)}`;
  if (Array.isArray(messages)) return textOfContent(messages.at(-1));
  if (content !== undefined || contents !== undefined)
    return textOfContent({ content: content ?? contents }) || rest['structuredContent'];
  const state = isObject(task) ? task : rest;
  if (typeof state['status'] === 'string') return joinTexts(state['status'], state['statusMessage']);
  const from = isObject(completion) ? completion : rest;
  const kind = lists.find((name) => Array.isArray(from[name]));
  return kind === undefined ? rest : listText(kind, from[kind] as readonly unknown[]); // `find` checked that it is a list
}

function serverText(serverInfo: unknown, revisions: readonly unknown[], capabilities: unknown): string {
  const names = isObject(capabilities) ? Object.keys(capabilities) : [];
  const start = `${programName(serverInfo)}, speaks ${revisions.map(textOfValue).join(', ')}`;
  return names.length === 0 ? start : `${start}; ${names.join(', ')}`;
}

function listText(kind: string, items: readonly unknown[]): string {
  const many = kind === 'resourceTemplates' ? 'templates' : kind;
  const count = `${items.length} ${items.length === 1 ? many.slice(0, -1) : many}`;
  const names = items
    .slice(0, MAX_NAMES)
    .map((item) => textOfValue(isObject(item) ? (item['name'] ?? item['uri'] ?? item['taskId']) : item));
  return names.length === 0 ? count : `${count}: ${names.join(', ')}`;
}

/** The texts of content blocks. A block without text is shown by its URI, MIME type or type. */
function textOfContent(value: unknown): string {
  const content = isObject(value) ? value['content'] : undefined;
  const texts = (Array.isArray(content) ? content : [content]).map((block: unknown) =>
    isObject(block) ? textOfValue(block['text'] ?? block['uri'] ?? block['mimeType'] ?? block['type'] ?? '') : '',
  );
  return texts.join(' ').trim();
}

const joinTexts = (first: unknown, second: unknown): string =>
  second === undefined ? textOfValue(first) : `${textOfValue(first)}: ${textOfValue(second)}`;
const programName = (info: unknown): string =>
  isObject(info) ? `${textOfValue(info['name'])} ${textOfValue(info['version'])}` : 'a program without a name';
