/** Every server of every configuration file, as it is written there. */

import type { CommandSource, ConfigReport, ConfigText, UrlSource } from '../../host/index.ts';
import { maskSecrets } from '../../model/secrets.ts';

export interface ServerRow {
  /** As it is typed on this command line. */
  readonly name: string;
  readonly kind: 'command' | 'address' | undefined;
  /** The command or the address; what is only named there stays a name. */
  readonly what: string;
  readonly file: string;
  readonly line: number;
  /** Other files that define it in the same way. */
  readonly also?: readonly { readonly file: string; readonly line: number }[];
  readonly state: 'on' | 'off' | 'ready' | 'failed';
  /** With `ready`, what it is; with `failed`, why. */
  readonly detail?: string;
}

export function rowsOf({ servers, left, repeated }: ConfigReport): readonly ServerRow[] {
  const on = Object.entries(servers).map(([name, source]): ServerRow => {
    const also = repeated.filter(({ label }) => label === name).map(({ file, line }) => ({ file, line }));
    return { ...rowOf(name, source), ...(also.length === 0 ? {} : { also }) };
  });
  const off = left.map(
    ({ name, file, line }): ServerRow => ({ name, kind: undefined, what: '', file, line, state: 'off' }),
  );
  return [...on, ...off];
}

function rowOf(name: string, source: CommandSource | UrlSource): ServerRow {
  const isUrl = 'url' in source;
  const words = isUrl
    ? [source.url instanceof URL ? source.url.href : source.url]
    : [source.command, ...(source.args ?? [])];
  return {
    name,
    kind: isUrl ? 'address' : 'command',
    what: maskSecrets(words.map(written).join(' ')),
    file: source.from?.file ?? '',
    line: source.from?.line ?? 0,
    state: 'on',
  };
}

function written(text: ConfigText): string {
  if (typeof text === 'string') return text;
  return 'secret' in text ? `\${secret:${text.secret}}` : text.template;
}
