/** The interface of a sandbox: a command that runs a server's command with fewer rights. */

/** A server's command, as a sandbox gets it. */
export interface SandboxedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The command's environment variables. Only those that decide which code runs have values; others can be secrets. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns what to put in front of the command, or undefined for no sandbox. The user sees it before the command is started. */
export type Sandbox = (
  command: SandboxedCommand,
  server: string,
) => { readonly command: string; readonly args: readonly string[] } | undefined;
