/** A message, or a request of HTTP, as one line that a person can read while it goes by. */
import {
  isFailure,
  isObject,
  isRequest,
  isResponse,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import { CLIENT_INFO, DISCOVER, PROTOCOL_VERSION, SERVER_INFO } from '../../model/names.ts';
import { printable } from '../../model/printable.ts';
import { textOfValue } from '../../model/text-of-value.ts';
import type { TracedHttp } from '../../recording/http-tap.ts';
import type { TappedMessage } from '../../recording/tap.ts';
import { countOf, type Printer } from '../printer.ts';

/** Of the content of a message. */
const MAX_CONTENT = 160;

const arrows = { '>': '→', '<': '←' } as const;

/** Whatever is in it has been scrubbed before. */
export function messageLine(
  { side, message, answers }: TappedMessage,
  print: Pick<Printer, 'style'>,
  where: 'stdout' | 'stderr',
): string {
  const arrow = print.style(side === '>' ? 'cyan' : 'green', arrows[side], where);
  if (!isResponse(message)) {
    const id = isRequest(message) ? ` #${printable(textOfValue(message.id))}` : '';
    return `${arrow}${id} ${print.style('bold', printable(message.method), where)} ${short(contentOf(message))}`.trimEnd();
  }
  const what = answers === undefined ? '' : ` ${printable(answers.request.method)}`;
  const took = answers === undefined ? '' : print.style('dim', ` ${Math.round(answers.ms)} ms`, where);
  const outcome = isFailure(message)
    ? print.style('red', short(`error ${message.error.code} ${message.error.message}`), where)
    : short(resultOf(answers?.request, message));
  return `${arrow} #${printable(textOfValue(message.id ?? '?'))}${what}${took} ${outcome}`.trimEnd();
}

export function httpLine(heard: TracedHttp, print: Printer, where: 'stdout' | 'stderr'): string {
  const { method, url, status, type, session, ms, ended, failed } = heard;
  const about = [
    ...(type === undefined ? [] : [type]),
    ...(session === undefined ? [] : [`session ${session}`]),
    ...(ended === undefined ? [] : [`stream ended: ${ended.events} events, ${ended.bytes} bytes`]),
    ...(failed === undefined ? [] : [`failed: ${failed}`]),
    `${Math.round(ms)} ms`,
  ];
  return print.style('dim', printable(`  ${method} ${url} ${status ?? '–'} ${about.join(', ')}`), where);
}

function contentOf({ method, params = {} }: RpcRequest | RpcNotification): string {
  const { _meta: meta, ...rest } = params;
  if (method === 'initialize') return `${infoOf(rest['clientInfo'])}, asks for ${textOfValue(rest['protocolVersion'])}`;
  if (method === DISCOVER && isObject(meta))
    return `${infoOf(meta[CLIENT_INFO])}, asks for ${textOfValue(meta[PROTOCOL_VERSION])}`;
  if (method === 'tools/call' || method === 'prompts/get') {
    const args = rest['arguments'];
    return `${textOfValue(rest['name'])} ${args === undefined ? '' : JSON.stringify(args)}`;
  }
  if (method === 'notifications/progress') return progressOf(rest);
  if (method === 'notifications/message') return `${textOfValue(rest['level'])}: ${textOfValue(rest['data'])}`;
  if (Object.keys(rest).length === 1) return textOfValue(Object.values(rest)[0]);
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
}

function progressOf({ progress, total, message }: JsonObject): string {
  const of = total === undefined ? '' : ` of ${textOfValue(total)}`;
  return `${textOfValue(progress)}${of}${message === undefined ? '' : `, ${textOfValue(message)}`}`;
}

/** Lists by what is in them; what a tool says by its text. */
function resultOf(request: RpcRequest | undefined, response: Exclude<RpcResponse, { error: unknown }>): string {
  const { _meta: meta, ...result } = response.result;
  const { capabilities, protocolVersion, supportedVersions } = result;
  if (request?.method === 'initialize')
    return `${infoOf(result['serverInfo'])}, speaks ${textOfValue(protocolVersion)}, ${namesIn(capabilities)}`;
  if (request?.method === DISCOVER && Array.isArray(supportedVersions)) {
    const info = isObject(meta) ? meta[SERVER_INFO] : undefined;
    return `${infoOf(info ?? result['serverInfo'])}, speaks ${supportedVersions.map(textOfValue).join(' ')}, ${namesIn(capabilities)}`;
  }
  for (const [list, word] of lists) if (Array.isArray(result[list])) return listOf(result[list], word);
  if (Array.isArray(result['content'])) {
    const texts = result['content'].map((block) =>
      isObject(block) ? textOfValue(block['text'] ?? `[${textOfValue(block['type'])}]`) : '',
    );
    return `${result['isError'] === true ? 'failed: ' : ''}${texts.join(' ')}`;
  }
  return Object.keys(result).length === 0 ? 'ok' : JSON.stringify(result);
}

const lists = [
  ['tools', 'tool'],
  ['resources', 'resource'],
  ['resourceTemplates', 'template'],
  ['prompts', 'prompt'],
] as const;

function listOf(items: readonly unknown[], what: string): string {
  const names = items.map((item) => (isObject(item) ? textOfValue(item['name'] ?? item['uri']) : '?'));
  return `${countOf(items.length, what)}${names.length === 0 ? '' : `: ${names.join(', ')}`}`;
}

const infoOf = (info: unknown): string =>
  isObject(info) ? `${textOfValue(info['name'])} ${textOfValue(info['version'])}` : 'a program without a name';
const namesIn = (value: unknown): string => (isObject(value) ? Object.keys(value).join(' ') || 'nothing' : '');

function short(text: string): string {
  // Long runs of blanks would take the square of their length.
  const start = text.slice(0, 8 * MAX_CONTENT);
  const line = printable(start.replace(/\s*\n\s*/g, ' ⏎ ').replaceAll('\t', ' '));
  return line.length <= MAX_CONTENT ? line : `${line.slice(0, MAX_CONTENT)}…`;
}
