/** A sandbox: another command that runs a server's command with fewer rights. */

export interface SandboxedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The variables that it gets; those that can hold secrets without their values. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is put in front of the command and its arguments, undefined for nothing. The user sees it before the command is started. */
export type Sandbox = (
  command: SandboxedCommand,
  server: string,
) => { readonly command: string; readonly args: readonly string[] } | undefined;
