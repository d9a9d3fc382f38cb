/** Which servers of one configuration can be copied into another, and what becomes of them: secrets are referred to, and never copied. */
import type {
  CommandSource,
  ConfigChange,
  ConfigInput,
  ConfigReport,
  ConfigText,
  UrlSource,
} from '../../host/index.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { isSecret, type Refer, respelled } from './known-applications.ts';

interface ImportedServer {
  readonly change: ConfigChange;
  /** What differs from the original, for the person who has to do something about it. */
  readonly notes: readonly string[];
}

/** `refer` spells a variable as the other file does. */
function toImportedServer(source: CommandSource | UrlSource, refer: Refer): ImportedServer {
  const carrier = new ServerImporter(source, refer);
  const change =
    'url' in source
      ? {
          url: carrier.text(source.url instanceof URL ? source.url.href : source.url),
          ...(source.headers === undefined ? {} : { headers: carrier.texts(source.headers, 'header') }),
        }
      : commandChange(source, carrier);
  return { change, notes: carrier.notes };
}

function commandChange(source: CommandSource, carrier: ServerImporter): ConfigChange {
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

const isWorkspace = (text: ConfigText): boolean =>
  typeof text === 'object' && 'template' in text && text.template === `\${workspaceFolder}`;

class ServerImporter {
  readonly notes: string[] = [];
  readonly #server: string;
  readonly #inputs: readonly ConfigInput[];
  readonly #refer: Refer;

  constructor({ from }: CommandSource | UrlSource, refer: Refer) {
    this.#server = from?.name ?? 'server';
    this.#inputs = from?.inputs ?? [];
    this.#refer = refer;
  }

  texts(
    texts: Readonly<Record<string, ConfigText>>,
    kind: 'header' | 'variable',
  ): Readonly<Record<string, ConfigText>> {
    const all = Object.entries(texts).map(([name, text]): [string, ConfigText] => {
      if (typeof text !== 'string' || !isSecret(name, text)) return [name, this.text(text)];
      return [name, kind === 'variable' ? this.#variable(name) : this.#header(name, text)];
    });
    return Object.fromEntries(all);
  }

  /** An input is known to the file that describes it, and to no other; so is a secret by its name. */
  text(text: ConfigText): ConfigText {
    if (typeof text === 'string') return text;
    if ('secret' in text) return { template: this.#secret(text.secret) };
    const template = respelled(text.template, this.#refer)
      .replace(/\$\{input:([^{}]+)\}/g, (_, id: string) => this.#input(id))
      .replace(/\$\{secret:([^{}]+)\}/g, (_, name: string) => this.#secret(name));
    return { template };
  }

  #input(id: string): string {
    const { default: otherwise, password } = this.#inputs.find((one) => one.id === id) ?? { password: true };
    return this.#become(`\${input:${id}}`, id, password ? undefined : otherwise);
  }

  #secret(name: string): string {
    return this.#become(`\${secret:${name}}`, name);
  }

  #become(before: string, name: string, otherwise?: string): string {
    const variable = variableOf(name);
    const reference = this.#refer(variable, otherwise);
    this.notes.push(`"${this.#server}": ${before} became ${reference}; set the variable ${variable}`);
    return reference;
  }

  #variable(name: string): ConfigText {
    return { template: this.#instead(name, name) };
  }

  #header(name: string, value: string): ConfigText {
    const [scheme = ''] = /^(?:Bearer|Basic|Token)\s+/i.exec(value) ?? [];
    return { template: scheme + this.#instead(name, variableOf(`${this.#server}_${name}`)) };
  }

  #instead(name: string, variable: string): string {
    this.notes.push(`"${this.#server}": the value of ${name} was not copied; set the variable ${variable}`);
    return this.#refer(variable);
  }
}

const variableOf = (name: string): string => name.toUpperCase().replace(/\W/g, '_');

interface NamedImport extends ImportedServer {
  readonly name: string;
}
interface ImportConflict {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}
export interface ImportPlan {
  readonly fresh: readonly NamedImport[];
  readonly same: readonly NamedImport[];
  readonly conflicts: readonly ImportConflict[];
}

/** `refer` spells a variable as the file does that they are copied into. */
export function planOf({ servers }: ConfigReport, there: ConfigReport, refer: Refer): ImportPlan {
  const taken = new Map<string, ImportConflict & { readonly source?: CommandSource | UrlSource }>();
  for (const source of Object.values(there.servers))
    if (source.from !== undefined) taken.set(source.from.name, { ...source.from, source });
  for (const one of there.left) taken.set(one.name, one);
  const [fresh, same, conflicts]: [NamedImport[], NamedImport[], ImportConflict[]] = [[], [], []];
  for (const [label, source] of Object.entries(servers)) {
    const name = source.from?.name ?? label;
    const one = { name, ...toImportedServer(source, refer) };
    const other = taken.get(name);
    if (other === undefined) fresh.push(one);
    else if (
      other.source !== undefined &&
      canonicalJson(toImportedServer(other.source, refer).change) === canonicalJson(one.change)
    )
      same.push(one);
    else conflicts.push({ name, file: other.file, line: other.line });
    if (other === undefined)
      taken.set(name, { name, file: source.from?.file ?? '', line: source.from?.line ?? 0, source });
  }
  return { fresh, same, conflicts };
}
