/** Fills placeholders in the texts of one server's definition: for display without secrets, or for the server with all values. */
import { basename, sep } from 'node:path';
import { badDefinition, McpError } from '../../errors.ts';
import { isSecretName, type Masks, maskSecrets } from '../../model/secrets.ts';
import type { ConfigInput, ConfigOrigin, ConfigText } from '../config/source.ts';
import { fillTemplate, type Placeholder, type PlaceName, templateFault } from '../config/template.ts';

/** The server that a value is looked up for. */
export interface LookupContext {
  /** The label of the server. */
  readonly server: string;
}
/** Looks up a secret by name, for example in a keychain, a vault or a private file. */
export type SecretSource = (name: string, asking: LookupContext) => string | Promise<string>;
/** Asks the user for an input that a configuration declares. */
export type InputSource = (input: ConfigInput, asking: LookupContext) => string | Promise<string>;

/** The sources of all values that definitions refer to by name, for all servers of a host. */
export interface Lookups {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  readonly cwd: string;
  readonly secrets: SecretSource | undefined;
  readonly inputs: InputSource | undefined;
}

/** Caches lookups, so that each secret is looked up and each input is asked for only once. Does not cache failures. */
export function cacheLookups({ secrets, inputs, ...rest }: Lookups): Lookups {
  const known = new Map<string, Promise<string>>();
  const cached = async (key: readonly string[], find: () => string | Promise<string>): Promise<string> => {
    const id = JSON.stringify(key);
    const found = known.get(id) ?? Promise.resolve(find());
    known.set(id, found);
    found.catch(() => known.delete(id));
    return found;
  };
  return {
    ...rest,
    secrets: secrets && ((name, by) => cached(['secret', by.server, name], () => secrets(name, by))),
    inputs: inputs && ((input, by) => cached(['input', by.server, input.id], () => inputs(input, by))),
  };
}

export interface TextResolverOptions {
  readonly label: string;
  readonly from: ConfigOrigin | undefined;
  readonly lookups: Lookups;
  readonly masks: Masks;
}

export class TextResolver {
  readonly #options: TextResolverOptions;

  constructor(options: TextResolverOptions) {
    this.#options = { ...options, lookups: cacheLookups(options.lookups) };
  }

  /** Resolves a text for the user and the audit log: secrets, and variables that can contain secrets, stay placeholders. */
  display(text: ConfigText, { variables }: { readonly variables: boolean }): Promise<string> {
    if (typeof text === 'object' && 'secret' in text) return Promise.resolve(`\${secret:${text.secret}}`);
    return this.#fill(text, async (placeholder) => {
      const { kind, name } = placeholder;
      if (this.#isSecret(placeholder) || (kind === 'env' && (!variables || isSecretName(name)))) return undefined;
      return maskSecrets(await this.#find(placeholder));
    });
  }

  /** Resolves a text for the server. Logs mask its secrets and variables from then on. */
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
    if (fault !== undefined) throw this.#fault(fault);
    return fillTemplate(text.template, find);
  }

  #isSecret({ kind, name }: Placeholder): boolean {
    return kind === 'secret' || (kind === 'input' && this.#input(name).password);
  }

  async #find(placeholder: Placeholder): Promise<string> {
    if (placeholder.kind === 'place') return this.#place(placeholder.name);
    if (placeholder.kind === 'env') return this.#variable(placeholder.name, placeholder.otherwise);
    const found = await (placeholder.kind === 'secret' ? this.#secret(placeholder.name) : this.#ask(placeholder.name));
    if (this.#isSecret(placeholder)) this.#options.masks.add(found);
    return found;
  }

  /** As in a shell, a default also replaces an empty variable. */
  #variable(name: string, otherwise: string | undefined): string {
    const { env } = this.#options.lookups;
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    const found = value || (otherwise ?? value);
    if (found === undefined) throw this.#fault(`the environment variable ${name} is not set; set it`);
    return found;
  }

  async #secret(name: string): Promise<string> {
    const { secrets } = this.#options.lookups;
    if (secrets === undefined)
      throw this.#fault(`it needs the secret "${name}"; give createHost a function "secrets" that finds it`);
    const found: unknown = await secrets(name, { server: this.#options.label });
    if (typeof found !== 'string') throw this.#fault(`unknown secret "${name}"; store it, or name another`);
    return found;
  }

  async #ask(id: string): Promise<string> {
    const input = this.#input(id);
    const { inputs } = this.#options.lookups;
    if (inputs !== undefined) return inputs(input, { server: this.#options.label });
    if (input.default !== undefined) return input.default;
    throw this.#fault(`it needs a value for the input "${id}"; give createHost a function "inputs" that asks for it`);
  }

  #input(id: string): ConfigInput {
    const input = this.#options.from?.inputs.find((one) => one.id === id);
    if (input === undefined) throw this.#fault(`unknown input "${id}"; describe it under "inputs"`);
    return input;
  }

  #place(name: PlaceName): string {
    const { userHome, cwd } = this.#options.lookups;
    const workspaceFolder = this.#options.from?.workspaceFolder ?? cwd;
    if (name === 'userHome') return userHome;
    if (name === 'cwd') return cwd;
    if (name === 'workspaceFolder') return workspaceFolder;
    return name === 'workspaceFolderBasename' ? basename(workspaceFolder) : sep;
  }

  #fault(why: string): McpError {
    if (this.#options.from === undefined) return badDefinition(`The server "${this.#options.label}"`, why);
    const { file, line, name } = this.#options.from;
    return new McpError('MCP_BAD_CONFIG', { file, line, why: `the server ${JSON.stringify(name)}: ${why}` });
  }
}
