/** How applications write an entry of their configuration. */
import type { JsonObject } from '../../jsonrpc/message.ts';

/** Where an entry is not `{ command, args, env }` or `{ url, headers }`. */
export interface ConfigDialect {
  readonly servers: readonly string[];
  /** Where the values are described that a user is asked for. */
  readonly inputs?: readonly string[];
  /** The servers are a list of objects with a `name`. */
  readonly listed?: true;
  /** Other names of members; a dot stands between those of nested ones. */
  readonly names?: Readonly<Partial<Record<'command' | 'env' | 'url' | 'headers', string>>>;
  /** The arguments stand behind the command, in one list. */
  readonly joined?: true;
  readonly commandType?: string;
  /** Without a type, some applications take a URL for one of HTTP+SSE. */
  readonly urlType?: string;
  /** A server is switched off by `enabled: false`, and not by `disabled: true`. */
  readonly enabled?: true;
  /** What every new entry has. */
  readonly always?: (name: string) => JsonObject;
  /** How a variable of the environment is referred to. Without it, values are taken as they are written. */
  readonly refer?: Refer;
  /** What a new file begins with. */
  readonly fresh?: string;
}

export type Refer = (variable: string, otherwise?: string) => string;

const bare: Refer = (variable, otherwise) => `\${${variable}${otherwise === undefined ? '' : `:-${otherwise}`}}`;
export const markedReference: Refer = (variable, otherwise) => bare(`env:${variable}`, otherwise);

/** Files that no application claims are written like this. */
export const plainDialect: ConfigDialect = { servers: ['mcpServers'], urlType: 'http', refer: markedReference };
/** `.mcp.json`, which others read too. */
export const claudeCode: ConfigDialect = { ...plainDialect, refer: bare };
/** Takes every value as it is written. */
export const claudeDesktop: ConfigDialect = { servers: ['mcpServers'], urlType: 'http' };
export const vscode: ConfigDialect = { ...plainDialect, servers: ['servers'], inputs: ['inputs'] };
export const windsurf: ConfigDialect = { servers: ['mcpServers'], names: { url: 'serverUrl' }, refer: markedReference };
export const zed: ConfigDialect = { servers: ['context_servers'], enabled: true };
export const codex: ConfigDialect = { servers: ['mcp_servers'], names: { headers: 'http_headers' }, enabled: true };
export const copilot: ConfigDialect = { ...claudeCode, commandType: 'local', always: () => ({ tools: ['*'] }) };
export const opencode: ConfigDialect = {
  servers: ['mcp'],
  names: { env: 'environment' },
  joined: true,
  enabled: true,
  commandType: 'local',
  urlType: 'remote',
  refer: (variable) => `{env:${variable}}`,
};
export const cline: ConfigDialect = { ...plainDialect, urlType: 'streamableHttp' };
export const continueYaml: ConfigDialect = {
  servers: ['mcpServers'],
  listed: true,
  names: { headers: 'requestOptions.headers' },
  urlType: 'streamable-http',
  always: (name) => ({ name }),
  refer: (variable) => `\${{ secrets.${variable} }}`,
  fresh: 'name: Local Config\nversion: 1.0.0\nschema: v1\n',
};
export const goose: ConfigDialect = {
  servers: ['extensions'],
  names: { command: 'cmd', env: 'envs', url: 'uri' },
  commandType: 'stdio',
  urlType: 'streamable_http',
  enabled: true,
  always: (name) => ({ enabled: true, name, description: '', timeout: 300 }),
};
export const junie: ConfigDialect = { servers: ['mcpServers'] };
