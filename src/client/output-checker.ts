/** Validates tool results against the output schemas that the server declared. */
import { McpError, messageOf } from '../errors.ts';
import type { Tool } from '../model/parts.ts';
import { type Checker, describe, foreignChecker } from '../schema/index.ts';

/** Fetches the tools when the first result must be checked, and compiles a schema when its tool is first used. */
export class OutputChecker {
  readonly #listTools: () => Promise<readonly Tool[]>;
  readonly #warn: (warning: string) => void;
  #tools: Promise<ReadonlyMap<string, Tool>> | undefined;
  readonly #checkers: Map<string, Checker | undefined> = new Map();

  constructor(listTools: () => Promise<readonly Tool[]>, warn: (warning: string) => void) {
    this.#listTools = listTools;
    this.#warn = warn;
  }

  /** Discards schemas and tools, because they changed. */
  forget(): void {
    this.#tools = undefined;
    this.#checkers.clear();
  }

  /** The server's definition of the tool; undefined if it lists none of this name. */
  async findTool(name: string): Promise<Tool | undefined> {
    this.#tools ??= this.#fetch();
    return (await this.#tools).get(name);
  }

  /** Throws MCP_OUTPUT_MISMATCH if the data violates the tool's output schema. */
  async check(name: string, data: unknown): Promise<void> {
    if (!this.#checkers.has(name)) this.#checkers.set(name, this.#checkerOf(await this.findTool(name)));
    const checked = await this.#checkers.get(name)?.check(data);
    if (checked?.ok === false) throw new McpError('MCP_OUTPUT_MISMATCH', { tool: name, why: describe(checked.issues) });
  }

  #checkerOf(tool: Tool | undefined): Checker | undefined {
    if (tool?.outputSchema === undefined) return undefined;
    try {
      return foreignChecker(tool.outputSchema, `the output of tool "${tool.name}"`, this.#warn);
    } catch (error) {
      this.#warn(`Results of tool "${tool.name}" are not checked: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #fetch(): Promise<ReadonlyMap<string, Tool>> {
    try {
      return new Map((await this.#listTools()).map((tool) => [tool.name, tool]));
    } catch (error) {
      // The call itself succeeded, so its result is returned unchecked.
      this.#warn(`Results of tools are not checked, because the tools could not be listed: ${String(error)}`);
      return new Map();
    }
  }
}
