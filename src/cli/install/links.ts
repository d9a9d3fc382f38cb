/** Install links for VS Code and Cursor, and Markdown badges. Secrets are replaced by inputs or variables. */
import { Buffer } from 'node:buffer';
import { isAbsolute } from 'node:path';
import type { ConfigChange } from '../../host/index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { MASK, maskSecrets } from '../../model/secrets.ts';
import { badArgument } from '../arguments.ts';
import { credentialScheme, isSecret, maskWords, variableFor } from '../servers/known-applications.ts';

export interface InstallLink {
  readonly title: string;
  /** Opens the application. */
  readonly link: string;
  /** An https link, for pages that allow only web URLs, such as a README on GitHub. */
  readonly web: string;
  /** In Markdown. */
  readonly badge: string;
}

interface LinkInput {
  readonly id: string;
  readonly type: 'promptString';
  readonly description: string;
  readonly password: true;
}

/** Throws for paths of this machine, and for secrets in a command or URL, which cannot be replaced by an input. */
export function installLinks(name: string, change: ConfigChange): readonly InstallLink[] {
  checkShareable(change);
  return [vscodeLink(name, change), cursorLink(name, change)];
}

function checkShareable({ command, args, url }: ConfigChange): void {
  const words = [command, ...(args ?? []), url].filter((word): word is string => typeof word === 'string');
  for (const [at, masked] of maskWords(words).entries()) {
    const word = words[at] ?? '';
    if (masked.includes(MASK) || (/^https?:/i.test(word) && /\/\/[^/]*@/.test(word)))
      throw badArgument(
        maskSecrets(masked),
        'this looks like a secret, and everyone can read a link; pass it with --env or --header',
      );
    if (isAbsolute(word) || /^[a-z]:[/\\]/i.test(word))
      throw badArgument(
        word,
        'this path is on your machine only; a link needs a URL, or a command such as `-- npx -y package`',
      );
  }
}

/** VS Code prompts the user for secrets. */
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

/** Cursor reads secrets from environment variables. */
function cursorLink(name: string, change: ConfigChange): InstallLink {
  const config = entryFor(change, (key, before) => `${before}\${env:${variableFor(key)}}`);
  const query = `name=${encode(name)}&config=${encode(Buffer.from(JSON.stringify(config)).toString('base64'))}`;
  const web = `https://cursor.com/en/install-mcp?${query}`;
  return {
    title: 'Cursor',
    link: `cursor://anysphere.cursor-deeplink/mcp/install?${query}`,
    web,
    badge: `[![Install in Cursor](https://cursor.com/deeplink/mcp-install-dark.svg)](${web})`,
  };
}

/** `secret` returns a placeholder for a value; a scheme before it, such as `Bearer`, is kept. */
function entryFor(
  { command, args, env, url, headers }: ConfigChange,
  secret: (key: string, before: string) => string,
): JsonObject {
  const safe = (texts: ConfigChange['env']): JsonObject =>
    Object.fromEntries(
      Object.entries(texts ?? {}).map(([key, value]) => {
        if (typeof value !== 'string' || !isSecret(key, value)) return [key, String(value)];
        return [key, secret(key, credentialScheme(value))];
      }),
    );
  const given = (key: string, texts: ConfigChange['env']): JsonObject => (texts ? { [key]: safe(texts) } : {});
  if (typeof url === 'string') return { type: 'http', url, ...given('headers', headers) };
  return { command: String(command), args: (args ?? []).map(String), ...given('env', env) };
}

/** Also encodes parentheses, which would end a link in Markdown. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[()'*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
