/** A request in words, and the screen that shows what it is about. */
import type { ScreenName } from './protocol-rows.ts';

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
