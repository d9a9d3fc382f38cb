/** Links that install a server in VS Code and Cursor, and badges for a README. No secret goes into one. */
import { Buffer } from 'node:buffer';
import { isAbsolute } from 'node:path';
import type { ConfigChange } from '../../host/index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { MASK, maskSecrets } from '../../model/secrets.ts';
import { badArgument } from '../arguments.ts';
import { isSecret } from '../servers/known-applications.ts';

export interface InstallLink {
  readonly title: string;
  /** Opens the application. */
  readonly link: string;
  /** The same for pages that allow web addresses only, such as a README on GitHub. */
  readonly web: string;
  /** Markdown. */
  readonly badge: string;
}

interface LinkInput {
  readonly id: string;
  readonly type: 'promptString';
  readonly description: string;
  readonly password: true;
}

/** Throws for what would not work on another machine, and for a secret that no application can ask for. */
export function installLinks(name: string, change: ConfigChange): readonly InstallLink[] {
  checkShareable(change);
  return [vscodeLink(name, change), cursorLink(name, change)];
}

function checkShareable({ command, args, url }: ConfigChange): void {
  const words = [command, ...(args ?? []), url].filter((word): word is string => typeof word === 'string');
  for (const word of words) {
    if (maskSecrets(word).includes(MASK) || (/^https?:/i.test(word) && /\/\/[^/]*@/.test(word)))
      throw badArgument(
        maskSecrets(word),
        'this looks like a secret, and everyone can read a link; pass it with --env or --header',
      );
    if (isAbsolute(word) || /^[a-z]:[/\\]/i.test(word))
      throw badArgument(
        word,
        'this path is on your machine only; a link needs a URL, or a command such as `-- npx -y package`',
      );
  }
}

/** VS Code asks the user for what is secret. */
function vscodeLink(name: string, change: ConfigChange): InstallLink {
  const inputs: LinkInput[] = [];
  const ask = (key: string, before: string): string => {
    const id = key.toLowerCase().replace(/[^a-z\d]+/g, '-');
    inputs.push({ id, type: 'promptString', description: key, password: true });
    return `${before}\${input:${id}}`;
  };
  const config = entryFor(change, ask);
  const all = inputs.length === 0 ? { name, ...config } : { name, inputs, ...config };
  const query = [
    ['name', name],
    ...(inputs.length === 0 ? [] : [['inputs', JSON.stringify(inputs)] as const]),
    ['config', JSON.stringify(config)],
  ].map(([key = '', value = '']) => `${key}=${encode(value)}`);
  const web = `https://vscode.dev/redirect/mcp/install?${query.join('&')}`;
  return {
    title: 'VS Code',
    link: `vscode:mcp/install?${encode(JSON.stringify(all))}`,
    web,
    badge: `[![Install in VS Code](https://img.shields.io/badge/VS_Code-Install-0098FF?logo=visualstudiocode)](${web})`,
  };
}

/** Cursor looks secrets up in the environment. */
function cursorLink(name: string, change: ConfigChange): InstallLink {
  const config = entryFor(change, (key, before) => `${before}\${env:${key.toUpperCase().replace(/\W/g, '_')}}`);
  const query = `name=${encode(name)}&config=${encode(Buffer.from(JSON.stringify(config)).toString('base64'))}`;
  const web = `https://cursor.com/en/install-mcp?${query}`;
  return {
    title: 'Cursor',
    link: `cursor://anysphere.cursor-deeplink/mcp/install?${query}`,
    web,
    badge: `[![Install in Cursor](https://cursor.com/deeplink/mcp-install-dark.svg)](${web})`,
  };
}

/** `secret` stands in for a value; a scheme such as `Bearer` before it stays. */
function entryFor(
  { command, args, env, url, headers }: ConfigChange,
  secret: (key: string, before: string) => string,
): JsonObject {
  const safe = (texts: ConfigChange['env']): JsonObject =>
    Object.fromEntries(
      Object.entries(texts ?? {}).map(([key, value]) => {
        if (typeof value !== 'string' || !isSecret(key, value)) return [key, String(value)];
        return [key, secret(key, /^(?:Bearer|Basic|Token)\s+/i.exec(value)?.[0] ?? '')];
      }),
    );
  const given = (key: string, texts: ConfigChange['env']): JsonObject => (texts ? { [key]: safe(texts) } : {});
  if (typeof url === 'string') return { type: 'http', url, ...given('headers', headers) };
  return { command: String(command), args: (args ?? []).map(String), ...given('env', env) };
}

/** Also the brackets, which end a link in Markdown. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[()'*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
