/** The texts of one server's definition: as they may be shown, and whole, with everything that was only named. */
import { basename, sep } from 'node:path';
import { McpError } from '../../errors.ts';
import { isSecretName, type Masks, maskSecrets } from '../../model/secrets.ts';
import type { ConfigInput, ConfigOrigin, ConfigText } from '../config/source.ts';
import { fillTemplate, type Placeholder, type PlaceName, templateFault } from '../config/template.ts';

type Awaitable<T> = T | Promise<T>;
/** Who needs to know. */
export interface LookupContext {
  /** The label of the server that needs it. */
  readonly server: string;
}
/** Finds a secret by its name: in a keychain, a vault, a file that only you can read. */
export type SecretSource = (name: string, asking: LookupContext) => Awaitable<string>;
/** Asks the user for a value that a configuration leaves open. */
export type InputSource = (input: ConfigInput, asking: LookupContext) => Awaitable<string>;

/** Where everything that is only named comes from. One for all servers of a host. */
export interface Lookups {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  readonly cwd: string;
  readonly secrets: SecretSource | undefined;
  readonly inputs: InputSource | undefined;
}

export interface TextResolverOptions {
  readonly label: string;
  readonly from: ConfigOrigin | undefined;
  readonly lookups: Lookups;
  readonly masks: Masks;
}

export class TextResolver {
  readonly #options: TextResolverOptions;
  /** What the user was asked for, so that they are asked once. */
  readonly #answers: Map<string, Promise<string>> = new Map();

  constructor(options: TextResolverOptions) {
    this.#options = options;
  }

  /** Fit for a question and for an audit: secrets, and variables where they may be some, are left as they are named. */
  display(text: ConfigText, { variables }: { readonly variables: boolean }): Promise<string> {
    if (typeof text === 'object' && 'secret' in text) return Promise.resolve(`\${secret:${text.secret}}`);
    return this.#fill(text, (placeholder) =>
      this.#isSecret(placeholder) || (placeholder.kind === 'env' && (!variables || isSecretName(placeholder.name)))
        ? Promise.resolve(undefined)
        : this.#find(placeholder).then((found) => maskSecrets(found)),
    );
  }

  /** What the server gets. Whatever was only named is masked from here on. */
  async resolve(text: ConfigText): Promise<string> {
    if (typeof text === 'object' && 'secret' in text) return this.#find({ kind: 'secret', name: text.secret });
    return this.#fill(text, async (placeholder) => {
      const found = await this.#find(placeholder);
      if (placeholder.kind === 'env') this.#options.masks.add(found);
      return found;
    });
  }

  async #fill(
    text: Exclude<ConfigText, { secret: string }>,
    find: Parameters<typeof fillTemplate>[1],
  ): Promise<string> {
    if (typeof text === 'string') return text;
    const fault = templateFault(text.template);
    if (fault !== undefined) throw this.#wrong(fault);
    return fillTemplate(text.template, find);
  }

  #isSecret({ kind, name }: Placeholder): boolean {
    return kind === 'secret' || (kind === 'input' && this.#input(name).password);
  }

  async #find(placeholder: Placeholder): Promise<string> {
    const { lookups, masks } = this.#options;
    if (placeholder.kind === 'place') return this.#place(placeholder.name);
    if (placeholder.kind === 'env') {
      // An empty variable counts as none where there is something else to take, as in a shell.
      const found = lookups.env[placeholder.name] || (placeholder.otherwise ?? lookups.env[placeholder.name]);
      if (found === undefined) throw this.#wrong(`the environment variable ${placeholder.name} is not set; set it`);
      return found;
    }
    const found = await (placeholder.kind === 'secret' ? this.#secret(placeholder.name) : this.#ask(placeholder.name));
    if (this.#isSecret(placeholder)) masks.add(found);
    return found;
  }

  async #secret(name: string): Promise<string> {
    const { lookups, label } = this.#options;
    if (lookups.secrets === undefined)
      throw this.#wrong(`it needs the secret "${name}"; give createHost a function "secrets" that finds it`);
    const found: unknown = await lookups.secrets(name, { server: label });
    if (typeof found !== 'string') throw this.#wrong(`there is no secret "${name}"; store it, or name another`);
    return found;
  }

  #ask(id: string): Promise<string> {
    const { lookups, label } = this.#options;
    const input = this.#input(id);
    const known = this.#answers.get(id);
    if (known !== undefined) return known;
    if (lookups.inputs === undefined) {
      if (input.default !== undefined) return Promise.resolve(input.default);
      throw this.#wrong(`it needs a value for the input "${id}"; give createHost a function "inputs" that asks for it`);
    }
    const answer = Promise.resolve(lookups.inputs(input, { server: label }));
    this.#answers.set(id, answer);
    // Who did not answer is asked again next time.
    answer.catch(() => this.#answers.delete(id));
    return answer;
  }

  #input(id: string): ConfigInput {
    const input = this.#options.from?.inputs.find((one) => one.id === id);
    if (input === undefined) throw this.#wrong(`nothing is known of the input "${id}"; describe it under "inputs"`);
    return input;
  }

  #place(name: PlaceName): string {
    const { from, lookups } = this.#options;
    const workspaceFolder = from?.workspaceFolder ?? lookups.cwd;
    if (name === 'userHome') return lookups.userHome;
    if (name === 'cwd') return lookups.cwd;
    if (name === 'workspaceFolder') return workspaceFolder;
    return name === 'workspaceFolderBasename' ? basename(workspaceFolder) : sep;
  }

  #wrong(why: string): McpError {
    const { from, label } = this.#options;
    if (from === undefined) return new McpError('MCP_BAD_DEFINITION', { what: `The server "${label}"`, why });
    const { file, line, name } = from;
    return new McpError('MCP_BAD_CONFIG', { file, line, why: `the server ${JSON.stringify(name)}: ${why}` });
  }
}
