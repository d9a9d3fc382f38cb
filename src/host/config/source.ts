/** The definition of a server of a host: a URL, a command, a server in this process or a transport; from code or from a file. */
import type { Servable, Transport } from '../../peer/exchange.ts';
import type { UrlOptions } from '../../transport/http-client/options.ts';

/**
 * A text of a definition. A secret is named, and found when the server is opened; a template has placeholders such as
 * `${env:NAME}` or `${secret:name}`, which are filled in then too.
 */
export type ConfigText = string | ConfigSecret | ConfigTemplate;
/** A text that is named here and found elsewhere. */
export interface ConfigSecret {
  readonly secret: string;
}
/** A text with placeholders. */
export interface ConfigTemplate {
  readonly template: string;
}

/** As it is written down: what is only named stays a name. */
export function writtenText(text: ConfigText | URL): string {
  if (typeof text === 'string') return text;
  if (text instanceof URL) return text.href;
  return 'secret' in text ? `\${secret:${text.secret}}` : text.template;
}

/** A server that is started by a command. */
export interface CommandSource {
  readonly command: ConfigText;
  readonly args?: readonly ConfigText[] | undefined;
  /** Added to the few variables a child inherits. */
  readonly env?: Readonly<Record<string, ConfigText>> | undefined;
  /** A file with more variables; those of `env` win. */
  readonly envFile?: ConfigText | undefined;
  readonly cwd?: ConfigText | undefined;
  /** The words that are shown and pinned, where the command line itself differs from machine to machine. */
  readonly shownAs?: readonly string[] | undefined;
  readonly from?: ConfigOrigin | undefined;
}
/** A server at a URL. */
export interface UrlSource extends Omit<UrlOptions, 'headers'> {
  readonly url: ConfigText | URL;
  readonly headers?: Readonly<Record<string, ConfigText>> | undefined;
  readonly from?: ConfigOrigin | undefined;
}
/** What can be a server of a host. */
export type ServerSource = string | URL | Servable | Transport | CommandSource | UrlSource;

/** Where a definition was read, and what its placeholders mean there. */
export interface ConfigOrigin {
  readonly file: string;
  readonly line: number;
  /** As the file spells it. */
  readonly name: string;
  readonly workspaceFolder: string;
  readonly inputs: readonly ConfigInput[];
}

/** A value that the user is asked for when it is first needed. */
export interface ConfigInput {
  readonly id: string;
  readonly description: string | undefined;
  /** Not to be shown, logged or stored. */
  readonly password: boolean;
  readonly default: string | undefined;
  /** The values to choose from, where there are some. */
  readonly options: readonly string[] | undefined;
}

/** A source with its kind. */
export type ClassifiedSource =
  | { readonly kind: 'command'; readonly source: CommandSource }
  | { readonly kind: 'url'; readonly source: UrlSource }
  | { readonly kind: 'process'; readonly source: Servable }
  | { readonly kind: 'transport'; readonly source: Transport };

/** Undefined for anything else, which only a caller without the compiler passes. */
export function classifySource(source: ServerSource): ClassifiedSource | undefined {
  if (typeof source === 'string' || source instanceof URL) return { kind: 'url', source: { url: source } };
  if (typeof source === 'function') return { kind: 'transport', source };
  if (typeof source !== 'object' || source === null) return undefined;
  if ('open' in source) return { kind: 'process', source };
  if ('command' in source) return { kind: 'command', source };
  return 'url' in source ? { kind: 'url', source } : undefined;
}
