/** Formats a JSON-RPC message or an HTTP request as one line, for `mooring trace`. */
import { isFailure, isRequest, isResponse, type RpcResponse } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { textOfValue } from '../../model/text-of-value.ts';
import type { TracedHttp } from '../../recording/http-tap.ts';
import { messageSummary, subjectOf } from '../../recording/message-summary.ts';
import type { TappedMessage } from '../../recording/tap.ts';
import type { Printer } from '../printer.ts';

const arrows = { '>': '→', '<': '←' } as const;

/** The caller has already masked secrets. */
export function messageLine(
  { side, message, answers }: TappedMessage,
  print: Pick<Printer, 'style'>,
  where: 'stdout' | 'stderr',
): string {
  const arrow = print.style(side === '>' ? 'cyan' : 'green', arrows[side], where);
  if (!isResponse(message)) {
    const id = isRequest(message) ? ` #${printable(textOfValue(message.id))}` : '';
    const content = [printable(subjectOf(message) ?? ''), messageSummary({ ...message })].filter(Boolean).join(' ');
    return `${arrow}${id} ${print.style('bold', printable(message.method), where)} ${content}`.trimEnd();
  }
  const what = answers === undefined ? '' : ` ${printable(answers.request.method)}`;
  const took = answers === undefined ? '' : print.style('dim', ` ${Math.round(answers.ms)} ms`, where);
  const outcome = isFailure(message) ? print.style('red', outcomeOf(message), where) : outcomeOf(message);
  return `${arrow} #${printable(textOfValue(message.id ?? '?'))}${what}${took} ${outcome}`.trimEnd();
}

export function httpLine(traced: TracedHttp, print: Printer, where: 'stdout' | 'stderr'): string {
  const { method, url, status, type, session, ms, ended, failed } = traced;
  const about = [
    ...(type === undefined ? [] : [type]),
    ...(session === undefined ? [] : [`session ${session}`]),
    ...(ended === undefined ? [] : [`stream ended: ${ended.events} events, ${ended.bytes} bytes`]),
    ...(failed === undefined ? [] : [`failed: ${failed}`]),
    `${Math.round(ms)} ms`,
  ];
  return print.style('dim', printable(`  ${method} ${url} ${status ?? '–'} ${about.join(', ')}`), where);
}

function outcomeOf(response: RpcResponse): string {
  const summary = messageSummary({ ...response });
  if (isFailure(response)) return `error ${response.error.code} ${summary ?? ''}`;
  return `${response.result['isError'] === true ? 'failed: ' : ''}${summary ?? 'ok'}`;
}
