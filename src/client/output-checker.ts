/** Validates tool results against the output schemas that the server declared. */
import { McpError, messageOf } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Tool } from '../model/parts.ts';
import { type Checker, describe, foreignChecker } from '../schema/index.ts';

/** Fetches the tools when the first result must be checked, and compiles a schema when its tool is first used. */
export class OutputChecker {
  readonly #listTools: () => Promise<readonly Tool[]>;
  readonly #warn: (warning: string) => void;
  #tools: Promise<ReadonlyMap<string, Tool>> | undefined;
  /** By definition, so that a checker never outlives the definition that it was made for. */
  readonly #checkers: WeakMap<Tool, Checker | undefined> = new WeakMap();

  constructor(listTools: () => Promise<readonly Tool[]>, warn: (warning: string) => void) {
    this.#listTools = listTools;
    this.#warn = warn;
  }

  /** Discards the tools, because they changed. */
  forget(): void {
    this.#tools = undefined;
  }

  /** The server's definition of the tool; undefined if it lists none of this name. */
  async findTool(name: string): Promise<Tool | undefined> {
    this.#tools ??= this.#fetch();
    return (await this.#tools).get(name);
  }

  /** Throws MCP_OUTPUT_MISMATCH if the data violates the tool's output schema. */
  async check(name: string, data: unknown): Promise<void> {
    const tool = await this.findTool(name);
    if (tool?.outputSchema === undefined) return;
    if (!this.#checkers.has(tool)) this.#checkers.set(tool, this.#checkerOf(tool, tool.outputSchema));
    const checked = await this.#checkers.get(tool)?.check(data);
    if (checked?.ok === false) throw new McpError('MCP_OUTPUT_MISMATCH', { tool: name, why: describe(checked.issues) });
  }

  #checkerOf({ name }: Tool, schema: JsonObject): Checker | undefined {
    try {
      return foreignChecker(schema, `the output of tool "${name}"`, this.#warn);
    } catch (error) {
      this.#warn(`Results of tool "${name}" are not checked: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #fetch(): Promise<ReadonlyMap<string, Tool>> {
    try {
      return new Map((await this.#listTools()).map((tool) => [tool.name, tool]));
    } catch (error) {
      // The call itself succeeded, so its result is returned unchecked.
      this.#warn(`Results of tools are not checked, because the tools could not be listed: ${String(error)}`);
      // A server that can be reached again lists its tools. A timeout is not repeated: each result would wait for it.
      if (error instanceof McpError && error.kind === 'offline' && error.code !== 'MCP_TIMEOUT') this.forget();
      return new Map();
    }
  }
}
