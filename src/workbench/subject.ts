/** What a message is about, in a word: the tool, the prompt, the URI; and the screen that shows it. */
import { isObject, type Message } from '../jsonrpc/message.ts';
import { cutText } from '../model/cut-text.ts';
import { textOfValue } from '../model/text-of-value.ts';
import type { ScreenName } from './protocol-rows.ts';

const MAX_SUBJECT = 200;

export function subjectOf(message: Message): string | undefined {
  const params = 'params' in message ? message.params : undefined;
  if (!isObject(params)) return undefined;
  const { ref } = params;
  const found =
    params['name'] ?? params['uri'] ?? params['taskId'] ?? (isObject(ref) ? (ref['name'] ?? ref['uri']) : undefined);
  if (typeof found === 'string') return cutText(found, MAX_SUBJECT);
  return params['requestId'] === undefined
    ? undefined
    : cutText(`request ${textOfValue(params['requestId'])}`, MAX_SUBJECT);
}

/** A request as the subject of another message, such as the one that cancels it. */
export const nameOfRequest = ({
  method,
  subject,
}: {
  readonly method: string;
  readonly subject?: string | undefined;
}): string => (subject === undefined ? method : `${method} ${subject}`);

const screens: readonly (readonly [start: string, screen: ScreenName])[] = [
  ['tools/', 'tools'],
  ['resources/', 'resources'],
  ['prompts/', 'prompts'],
  ['completion/', 'prompts'],
  ['tasks/', 'tasks'],
  ['ui/', 'apps'],
  ['skills/', 'skills'],
  ['', 'servers'],
];

export const screenOf = (method: string): ScreenName | undefined =>
  screens.find(([start]) => method.startsWith(start))?.[1];
