/** What a message says, in a line: its arguments, the text of its result, how far something is. */
import { isObject, type JsonObject, type Message } from '../jsonrpc/message.ts';
import { cutText } from '../model/cut-text.ts';
import { CLIENT_INFO, DISCOVER, PROTOCOL_VERSION, SERVER_INFO } from '../model/names.ts';
import { printable } from '../model/printable.ts';
import { textOfValue } from '../model/text-of-value.ts';

const MAX_SUMMARY = 160;
const MAX_SUBJECT = 200;
/** Of a list. */
const MAX_NAMES = 8;
/** What `subjectOf` says, and what every message has. */
const besides: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'ref', 'requestId', '_meta', 'resultType']);

/** What a message is about, in a word: the tool, the prompt, the URI. */
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

/** Undefined where its method and its subject say it all. */
export function messageSummary({ method, params = {}, result, error, url }: JsonObject): string | undefined {
  const content = isObject(error)
    ? error['message']
    : isObject(result)
      ? ofResult(result)
      : (url ?? (method === DISCOVER ? ofDiscover(params) : ofParams(params)));
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

function ofParams(params: unknown): unknown {
  const rest = Object.fromEntries(
    Object.entries(isObject(params) ? params : {}).filter(([name]) => !besides.has(name)),
  );
  const { progress, total, message, messages, level, data, argument, clientInfo, arguments: args } = rest;
  if (progress !== undefined)
    return joined(total === undefined ? progress : `${textOfValue(progress)} of ${textOfValue(total)}`, message);
  if (level !== undefined) return joined(level, data);
  if (isObject(argument)) return joined(argument['name'], argument['value']);
  if (rest['reason'] !== undefined) return rest['reason'];
  if (isObject(clientInfo)) return asksFor(clientInfo, rest['protocolVersion']);
  if (rest['status'] !== undefined) return joined(rest['status'], rest['statusMessage']);
  if (isObject(rest['notifications'])) return Object.keys(rest['notifications']).join(', ');
  return message ?? (Array.isArray(messages) ? textOfContent(messages.at(-1)) : (args ?? rest));
}

function ofDiscover(params: unknown): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? asksFor(meta[CLIENT_INFO], meta[PROTOCOL_VERSION]) : undefined;
}

const asksFor = (clientInfo: unknown, revision: unknown): string =>
  `${programName(clientInfo)}, asks for ${textOfValue(revision)}`;

const lists = ['tools', 'prompts', 'resources', 'resourceTemplates', 'roots', 'tasks', 'skills', 'values'] as const;

function ofResult(result: JsonObject): unknown {
  const rest = Object.fromEntries(Object.entries(result).filter(([name]) => !besides.has(name)));
  const { inputRequests, serverInfo, supportedVersions, capabilities, completion, task } = rest;
  const { content, contents, messages, action } = rest;
  if (isObject(inputRequests)) return `asks for ${Object.keys(inputRequests).join(', ')}`;
  if (Array.isArray(supportedVersions)) {
    const meta = result['_meta'];
    return speaks((isObject(meta) ? meta[SERVER_INFO] : undefined) ?? serverInfo, supportedVersions, capabilities);
  }
  if (isObject(serverInfo)) return speaks(serverInfo, [rest['protocolVersion']], capabilities);
  if (action !== undefined) return content === undefined ? action : `${textOfValue(action)} ${textOfValue(content)}`;
  if (Array.isArray(messages)) return textOfContent(messages.at(-1));
  if (content !== undefined || contents !== undefined)
    return textOfContent({ content: content ?? contents }) || rest['structuredContent'];
  const state = isObject(task) ? task : rest;
  if (typeof state['status'] === 'string') return joined(state['status'], state['statusMessage']);
  const from = isObject(completion) ? completion : rest;
  const kind = lists.find((name) => Array.isArray(from[name]));
  return kind === undefined ? rest : ofList(kind, from[kind] as readonly unknown[]); // by the line before
}

function speaks(serverInfo: unknown, revisions: readonly unknown[], capabilities: unknown): string {
  const names = isObject(capabilities) ? Object.keys(capabilities) : [];
  const start = `${programName(serverInfo)}, speaks ${revisions.map(textOfValue).join(' ')}`;
  return names.length === 0 ? start : `${start}, ${names.join(' ')}`;
}

function ofList(kind: string, items: readonly unknown[]): string {
  const many = kind === 'resourceTemplates' ? 'templates' : kind;
  const count = `${items.length} ${items.length === 1 ? many.slice(0, -1) : many}`;
  const names = items
    .slice(0, MAX_NAMES)
    .map((item) => textOfValue(isObject(item) ? (item['name'] ?? item['uri'] ?? item['taskId']) : item));
  return names.length === 0 ? count : `${count}: ${names.join(', ')}`;
}

/** Of blocks without text, what they are. */
function textOfContent(value: unknown): string {
  const content = isObject(value) ? value['content'] : undefined;
  const texts = (Array.isArray(content) ? content : [content]).map((block: unknown) =>
    isObject(block) ? textOfValue(block['text'] ?? block['uri'] ?? block['mimeType'] ?? block['type'] ?? '') : '',
  );
  return texts.join(' ').trim();
}

const joined = (first: unknown, second: unknown): string =>
  second === undefined ? textOfValue(first) : `${textOfValue(first)}: ${textOfValue(second)}`;
const programName = (info: unknown): string =>
  isObject(info) ? `${textOfValue(info['name'])} ${textOfValue(info['version'])}` : 'a program without a name';
