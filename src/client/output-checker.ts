/** Checking what tools return against what they promised. */
import { McpError, messageOf } from '../errors.ts';
import type { Tool } from '../model/parts.ts';
import { type Checker, describe, foreignChecker } from '../schema/index.ts';

/** Schemas are fetched when the first result needs them, and made ready when their tool is first used. */
export class OutputChecker {
  readonly #listTools: () => Promise<readonly Tool[]>;
  readonly #warn: (warning: string) => void;
  #tools: Promise<ReadonlyMap<string, Tool>> | undefined;
  readonly #checkers: Map<string, Checker | undefined> = new Map();

  constructor(listTools: () => Promise<readonly Tool[]>, warn: (warning: string) => void) {
    this.#listTools = listTools;
    this.#warn = warn;
  }

  /** The tools have changed. */
  forget(): void {
    this.#tools = undefined;
    this.#checkers.clear();
  }

  /** As the server describes it. */
  async findTool(name: string): Promise<Tool | undefined> {
    this.#tools ??= this.#fetch();
    return (await this.#tools).get(name);
  }

  /** Throws where the data is not what the tool's schema says. */
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
      // The call itself succeeded; that its promise cannot be looked up is no reason to lose the result.
      this.#warn(`Results of tools are not checked, because the tools could not be listed: ${String(error)}`);
      return new Map();
    }
  }
}
