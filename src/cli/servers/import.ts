/** What becomes of a server that is copied into another configuration file: secrets are referred to, and never copied. */
import type { ConfigChange } from '../../host/config/write-config.ts';
import type { CommandSource, ConfigInput, Text, UrlSource } from '../../host/servers/source.ts';
import { isSecret } from './secrets.ts';

export interface Carried {
  readonly change: ConfigChange;
  /** What differs from the original, for the person who has to do something about it. */
  readonly notes: readonly string[];
}

export function carried(source: CommandSource | UrlSource): Carried {
  const carrier = new Carrier(source.from?.name ?? 'server', source.from?.inputs ?? []);
  const change =
    'url' in source
      ? {
          url: carrier.text(source.url instanceof URL ? source.url.href : source.url),
          ...(source.headers === undefined ? {} : { headers: carrier.texts(source.headers, 'header') }),
        }
      : commandChange(source, carrier);
  return { change, notes: carrier.notes };
}

function commandChange(source: CommandSource, carrier: Carrier): ConfigChange {
  const { command, args, env, envFile, cwd } = source;
  return {
    command: carrier.text(command),
    ...(args === undefined ? {} : { args: args.map((arg) => carrier.text(arg)) }),
    ...(env === undefined ? {} : { env: carrier.texts(env, 'variable') }),
    ...(envFile === undefined ? {} : { envFile: carrier.text(envFile) }),
    // Said of every entry that says nothing itself.
    ...(cwd === undefined || isWorkspace(cwd) ? {} : { cwd: carrier.text(cwd) }),
  };
}

const isWorkspace = (text: Text): boolean =>
  typeof text === 'object' && 'template' in text && text.template === `\${workspaceFolder}`;

class Carrier {
  readonly notes: string[] = [];
  readonly #server: string;
  readonly #inputs: readonly ConfigInput[];

  constructor(server: string, inputs: readonly ConfigInput[]) {
    this.#server = server;
    this.#inputs = inputs;
  }

  texts(texts: Readonly<Record<string, Text>>, kind: 'header' | 'variable'): Readonly<Record<string, Text>> {
    const all = Object.entries(texts).map(([name, text]): [string, Text] => {
      if (typeof text !== 'string' || !isSecret(name, text)) return [name, this.text(text)];
      return [name, kind === 'variable' ? this.#variable(name) : this.#header(name, text)];
    });
    return Object.fromEntries(all);
  }

  /** An input is known to the file that describes it, and to no other. */
  text(text: Text): Text {
    if (typeof text === 'string' || 'secret' in text) return text;
    const template = text.template.replace(/\$\{input:([^{}]+)\}/g, (_, id: string) => this.#input(id));
    return { template };
  }

  #input(id: string): string {
    const { password, default: otherwise } = this.#inputs.find((one) => one.id === id) ?? { password: true };
    const variable = variableOf(id);
    const reference = password
      ? `\${secret:${id}}`
      : `\${env:${variable}${otherwise === undefined ? '' : `:-${otherwise}`}}`;
    this.notes.push(`"${this.#server}": \${input:${id}} became ${reference}; set the variable ${variable}`);
    return reference;
  }

  #variable(name: string): Text {
    this.notes.push(`"${this.#server}": the value of ${name} was not copied; set the variable ${name}`);
    return { template: `\${env:${name}}` };
  }

  #header(name: string, value: string): Text {
    const [scheme = ''] = /^(?:Bearer|Basic|Token)\s+/i.exec(value) ?? [];
    const secret = `${this.#server}-${name}`.toLowerCase();
    this.notes.push(`"${this.#server}": the value of ${name} was not copied; set the variable ${variableOf(secret)}`);
    return { template: `${scheme}\${secret:${secret.replace(/\s/g, '-')}}` };
  }
}

/** Where this command line looks for a secret of that name. */
const variableOf = (name: string): string => name.toUpperCase().replace(/\W/g, '_');
