/** The types that define a server of a host: URL, command, server in this process or transport. */
import type { Servable, Transport } from '../../peer/exchange.ts';
import type { UrlOptions } from '../../transport/http-client/options.ts';

/**
 * A string in a definition. Secrets and placeholders such as `${env:NAME}` or `${secret:name}` are resolved when the server is
 * opened.
 */
export type ConfigText = string | ConfigSecret | ConfigTemplate;
/** A reference to a secret by name. */
export interface ConfigSecret {
  readonly secret: string;
}

/** A string with placeholders. */
export interface ConfigTemplate {
  readonly template: string;
}

/** The text for a configuration file. References to secrets stay references. */
export function writtenText(text: ConfigText | URL): string {
  if (typeof text === 'string') return text;
  if (text instanceof URL) return text.href;
  return 'secret' in text ? `\${secret:${text.secret}}` : text.template;
}

/** A server that is started by a command. */
export interface CommandSource {
  readonly command: ConfigText;
  readonly args?: readonly ConfigText[] | undefined;
  /** Added to the few variables that a child process inherits. */
  readonly env?: Readonly<Record<string, ConfigText>> | undefined;
  /** A file with more variables; `env` takes precedence. */
  readonly envFile?: ConfigText | undefined;
  readonly cwd?: ConfigText | undefined;
  /** The command line to display and to pin, if the real one differs between machines. */
  readonly shownAs?: readonly string[] | undefined;
  readonly from?: ConfigOrigin | undefined;
}

/** A server at a URL. */
export interface UrlSource extends Omit<UrlOptions, 'headers'> {
  readonly url: ConfigText | URL;
  readonly headers?: Readonly<Record<string, ConfigText>> | undefined;
  readonly from?: ConfigOrigin | undefined;
}
/** Any definition of a server of a host. */
export type ServerSource = string | URL | Servable | Transport | CommandSource | UrlSource;

/** The file and line of a definition, and the values of its placeholders. */
export interface ConfigOrigin {
  readonly file: string;
  readonly line: number;
  /** The name in the file. */
  readonly name: string;
  readonly workspaceFolder: string;
  readonly inputs: readonly ConfigInput[];
}

/** A value that the user is asked for when it is first needed. */
export interface ConfigInput {
  readonly id: string;
  readonly description: string | undefined;
  /** The value must not be displayed, logged or stored. */
  readonly password: boolean;
  readonly default: string | undefined;
  /** The permitted values, if restricted. */
  readonly options: readonly string[] | undefined;
}

/** A source with its kind. */
export type ClassifiedSource =
  | { readonly kind: 'command'; readonly source: CommandSource }
  | { readonly kind: 'url'; readonly source: UrlSource }
  | { readonly kind: 'process'; readonly source: Servable }
  | { readonly kind: 'transport'; readonly source: Transport };

/** Undefined for any other value, which TypeScript would reject. */
export function classifySource(source: ServerSource): ClassifiedSource | undefined {
  if (typeof source === 'string' || source instanceof URL) return { kind: 'url', source: { url: source } };
  if (typeof source === 'function') return { kind: 'transport', source };
  if (typeof source !== 'object' || source === null) return undefined;
  if ('open' in source) return { kind: 'process', source };
  if ('command' in source) return { kind: 'command', source };
  return 'url' in source ? { kind: 'url', source } : undefined;
}
