/** The dialects of configuration files: how each application spells a server entry. */
import type { JsonObject } from '../../jsonrpc/message.ts';

/** Deviations from entries of the form `{ command, args, env }` or `{ url, headers }`. */
export interface ConfigDialect {
  /** The path of the servers in the file. */
  readonly servers: readonly string[];
  /** The path of the input descriptions, which are values that the user is asked for. */
  readonly inputs?: readonly string[];
  /** The servers are a list of objects with a `name`, not an object by name. */
  readonly isList?: true;
  /** Renamed members. A dot separates the keys of a nested member. */
  readonly names?: Readonly<Partial<Record<'command' | 'env' | 'url' | 'headers', string>>>;
  /** `command` is a list that includes the arguments. */
  readonly argsInCommand?: true;
  readonly commandType?: string;
  /** The type of URL entries, because some applications default to HTTP+SSE. */
  readonly urlType?: string;
  /** A server is disabled by `enabled: false` instead of `disabled: true`. */
  readonly usesEnabled?: true;
  /** Members of every new entry. */
  readonly defaults?: (name: string) => JsonObject;
  /** Formats a reference to an environment variable. Undefined if the application supports no references. */
  readonly refer?: Refer;
  /** The initial text of a new file. */
  readonly newFile?: string;
}

export type Refer = (variable: string, otherwise?: string) => string;

const bare: Refer = (variable, otherwise) => `\${${variable}${otherwise === undefined ? '' : `:-${otherwise}`}}`;
export const markedReference: Refer = (variable, otherwise) => bare(`env:${variable}`, otherwise);

/** The dialect of files that belong to no known application. */
export const plainDialect: ConfigDialect = { servers: ['mcpServers'], urlType: 'http', refer: markedReference };
/** `.mcp.json`, which other applications read too. */
export const claudeCode: ConfigDialect = { ...plainDialect, refer: bare };
/** Supports no references to environment variables. */
export const claudeDesktop: ConfigDialect = { servers: ['mcpServers'], urlType: 'http' };
export const vscode: ConfigDialect = { ...plainDialect, servers: ['servers'], inputs: ['inputs'] };
export const windsurf: ConfigDialect = { servers: ['mcpServers'], names: { url: 'serverUrl' }, refer: markedReference };
export const zed: ConfigDialect = { servers: ['context_servers'], usesEnabled: true };
export const codex: ConfigDialect = { servers: ['mcp_servers'], names: { headers: 'http_headers' }, usesEnabled: true };
export const copilot: ConfigDialect = { ...claudeCode, commandType: 'local', defaults: () => ({ tools: ['*'] }) };
export const opencode: ConfigDialect = {
  servers: ['mcp'],
  names: { env: 'environment' },
  argsInCommand: true,
  usesEnabled: true,
  commandType: 'local',
  urlType: 'remote',
  refer: (variable) => `{env:${variable}}`,
};
export const cline: ConfigDialect = { ...plainDialect, urlType: 'streamableHttp' };
export const continueYaml: ConfigDialect = {
  servers: ['mcpServers'],
  isList: true,
  names: { headers: 'requestOptions.headers' },
  urlType: 'streamable-http',
  defaults: (name) => ({ name }),
  refer: (variable) => `\${{ secrets.${variable} }}`,
  newFile: 'name: Local Config\nversion: 1.0.0\nschema: v1\n',
};
export const goose: ConfigDialect = {
  servers: ['extensions'],
  names: { command: 'cmd', env: 'envs', url: 'uri' },
  commandType: 'stdio',
  urlType: 'streamable_http',
  usesEnabled: true,
  defaults: (name) => ({ enabled: true, name, description: '', timeout: 300 }),
};
export const junie: ConfigDialect = { servers: ['mcpServers'] };
