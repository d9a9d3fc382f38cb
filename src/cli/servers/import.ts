/** Plans the import of servers from another configuration. Secrets become references to variables, and are never copied. */
import type {
  CommandSource,
  ConfigChange,
  ConfigInput,
  ConfigReport,
  ConfigTemplate,
  ConfigText,
  UrlSource,
} from '../../host/index.ts';
import { defined } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { MASK } from '../../model/secrets.ts';
import { credentialScheme, isSecret, maskWords, type Refer, respelled, variableFor } from './known-applications.ts';

interface ImportedServer {
  readonly change: ConfigChange;
  /** What the user must set up, such as variables for secrets. */
  readonly notes: readonly string[];
}

/** `refer` spells a variable reference in the syntax of the target file. */
function toImportedServer(name: string, source: CommandSource | UrlSource, refer: Refer): ImportedServer {
  const importer = new ServerImporter(name, source.from?.inputs ?? [], refer);
  const change =
    'url' in source
      ? defined<ConfigChange>({
          url: importer.words([source.url instanceof URL ? source.url.href : source.url])[0],
          headers: source.headers && importer.texts(source.headers, 'header'),
        })
      : commandChange(source, importer);
  return { change, notes: importer.notes };
}

function commandChange(source: CommandSource, importer: ServerImporter): ConfigChange {
  const { command, args, env, envFile, cwd } = source;
  const [program, ...rest] = importer.words([command, ...(args ?? [])]);
  return defined<ConfigChange>({
    command: program,
    args: args && rest,
    env: env && importer.texts(env, 'variable'),
    envFile: envFile && importer.text(envFile),
    // The workspace folder is the default.
    cwd: cwd === undefined || isWorkspace(cwd) ? undefined : importer.text(cwd),
  });
}

const isWorkspace = (text: ConfigText): boolean =>
  typeof text === 'object' && 'template' in text && text.template === `\${workspaceFolder}`;

class ServerImporter {
  readonly notes: string[] = [];
  readonly #server: string;
  readonly #inputs: readonly ConfigInput[];
  readonly #refer: Refer;
  /** The number of secrets in the command line or URL. */
  #secrets = 0;

  constructor(server: string, inputs: readonly ConfigInput[], refer: Refer) {
    this.#server = server;
    this.#inputs = inputs;
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

  /** The texts of a command line, or a URL. What looks like a secret in them becomes a reference. */
  words(words: readonly ConfigText[]): readonly ConfigText[] {
    const texts = words.map((word) => this.text(word));
    const masked = maskWords(texts.map((text) => (typeof text === 'string' ? text : text.template)));
    return texts.map((text, at) => {
      const template = masked[at]?.replaceAll(MASK, () => this.#replaceUnnamed()) ?? '';
      return template === masked[at] ? text : { template };
    });
  }

  /** Replaces `${input:…}` and `${secret:…}` by variables: inputs and secrets are defined only for the source file. */
  text(text: ConfigText): string | ConfigTemplate {
    if (typeof text === 'string') return text;
    if ('secret' in text) return { template: this.#secret(text.secret) };
    const template = respelled(text.template, this.#refer)
      .replace(/\$\{input:([^{}]+)\}/g, (_, id: string) => this.#input(id))
      .replace(/\$\{secret:([^{}]+)\}/g, (_, name: string) => this.#secret(name));
    return { template };
  }

  #input(id: string): string {
    const { default: otherwise, password } = this.#inputs.find((one) => one.id === id) ?? { password: true };
    return this.#replaceReference(`\${input:${id}}`, id, password ? undefined : otherwise);
  }

  #secret(name: string): string {
    return this.#replaceReference(`\${secret:${name}}`, name);
  }

  #replaceReference(before: string, name: string, otherwise?: string): string {
    const variable = variableFor(name);
    const reference = this.#refer(variable, otherwise);
    this.notes.push(`"${this.#server}": ${before} became ${reference}; set the variable ${variable}`);
    return reference;
  }

  #variable(name: string): ConfigText {
    return { template: this.#replaceSecret(`the value of ${name}`, name) };
  }

  #header(name: string, value: string): ConfigText {
    const variable = variableFor(`${this.#server}_${name}`);
    return { template: credentialScheme(value) + this.#replaceSecret(`the value of ${name}`, variable) };
  }

  #replaceUnnamed(): string {
    const number = ++this.#secrets === 1 ? '' : `_${this.#secrets}`;
    return this.#replaceSecret('a secret', variableFor(`${this.#server}_SECRET${number}`));
  }

  #replaceSecret(what: string, variable: string): string {
    this.notes.push(`"${this.#server}": ${what} was not copied; set the variable ${variable}`);
    return this.#refer(variable);
  }
}

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

/** `refer` spells a variable reference in the syntax of the target file. */
export function planOf({ servers }: ConfigReport, there: ConfigReport, refer: Refer): ImportPlan {
  const taken = new Map<string, ImportConflict & { readonly source?: CommandSource | UrlSource }>();
  for (const source of Object.values(there.servers))
    if (source.from !== undefined) taken.set(source.from.name, { ...source.from, source });
  for (const one of there.left) taken.set(one.name, one);
  const [fresh, same, conflicts]: [NamedImport[], NamedImport[], ImportConflict[]] = [[], [], []];
  for (const [label, source] of Object.entries(servers)) {
    const name = source.from?.name ?? label;
    const one = { name, ...toImportedServer(name, source, refer) };
    const other = taken.get(name);
    if (other === undefined) fresh.push(one);
    else if (
      other.source !== undefined &&
      canonicalJson(toImportedServer(name, other.source, refer).change) === canonicalJson(one.change)
    )
      same.push(one);
    else conflicts.push({ name, file: other.file, line: other.line });
    if (other === undefined)
      taken.set(name, { name, file: source.from?.file ?? '', line: source.from?.line ?? 0, source });
  }
  return { fresh, same, conflicts };
}
