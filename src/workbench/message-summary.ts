/** What a message says, in a line of the timeline: its arguments, the text of its result, how far something is. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { cutText } from '../model/cut-text.ts';
import { printable } from '../model/printable.ts';
import { textOfValue } from '../model/text-of-value.ts';

const MAX_SUMMARY = 160;
/** Of a list. */
const MAX_NAMES = 8;
/** The subject of its row, and what every message has. */
const besides: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'ref', 'requestId', '_meta', 'resultType']);

/** Undefined where its method and its subject say it all. */
export function messageSummary({ params, result, error, url }: JsonObject): string | undefined {
  const said = isObject(error) ? error['message'] : isObject(result) ? ofResult(result) : (url ?? ofParams(params));
  const line =
    said === undefined
      ? ''
      : textOfValue(said)
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
  if (isObject(clientInfo)) return named(clientInfo, rest['protocolVersion']);
  if (rest['status'] !== undefined) return joined(rest['status'], rest['statusMessage']);
  if (isObject(rest['notifications'])) return Object.keys(rest['notifications']).join(', ');
  return message ?? (Array.isArray(messages) ? textOfContent(messages.at(-1)) : (args ?? rest));
}

const lists = ['tools', 'prompts', 'resources', 'resourceTemplates', 'roots', 'tasks', 'skills', 'values'] as const;

function ofResult(result: JsonObject): unknown {
  const rest = Object.fromEntries(Object.entries(result).filter(([name]) => !besides.has(name)));
  const { inputRequests, serverInfo, supportedVersions, content, contents, messages, action, completion, task } = rest;
  if (isObject(inputRequests)) return `asks for ${Object.keys(inputRequests).join(', ')}`;
  if (isObject(serverInfo)) return named(serverInfo, rest['protocolVersion']);
  if (Array.isArray(supportedVersions)) return supportedVersions.join(', ');
  if (action !== undefined) return content === undefined ? action : `${textOfValue(action)} ${textOfValue(content)}`;
  if (Array.isArray(messages)) return textOfContent(messages.at(-1));
  if (content !== undefined || contents !== undefined)
    return textOfContent({ content: content ?? contents }) || rest['structuredContent'];
  const state = isObject(task) ? task : rest;
  if (typeof state['status'] === 'string') return joined(state['status'], state['statusMessage']);
  const from = isObject(completion) ? completion : rest;
  const kind = lists.find((one) => Array.isArray(from[one]));
  return kind === undefined ? rest : ofList(kind, from[kind] as readonly unknown[]); // by the line before
}

function ofList(kind: string, items: readonly unknown[]): string {
  const many = kind === 'resourceTemplates' ? 'templates' : kind;
  const count = `${items.length} ${items.length === 1 ? many.slice(0, -1) : many}`;
  const names = items
    .slice(0, MAX_NAMES)
    .map((one) => textOfValue(isObject(one) ? (one['name'] ?? one['uri'] ?? one['taskId']) : one));
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
const named = ({ name, version }: JsonObject, revision: unknown): string =>
  [name, version, revision]
    .filter((one) => one !== undefined)
    .map(textOfValue)
    .join(' ');
