/** Around a command: another one that runs it with fewer rights. */

export interface SandboxedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The variables that were named for it; those that may hold secrets without their values. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is put in front of the command and its arguments; undefined where nothing is. It is shown to whoever is asked. */
export type Sandbox = (
  command: SandboxedCommand,
  server: string,
) => { readonly command: string; readonly args: readonly string[] } | undefined;
