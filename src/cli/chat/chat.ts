/** Shared context of a chat, and the type of its slash commands. */
import type { Host, Session } from '../../host/index.ts';
import type { CommandOutcome } from '../command.ts';
import type { TypedCalls } from '../host/typed-acts.ts';
import type { Shell } from '../shell.ts';
import type { Acts } from './acts.ts';
import type { Screen } from './screen.ts';

export interface Chat {
  readonly shell: Shell;
  readonly host: Host;
  readonly session: Session;
  readonly screen: Screen;
  readonly acts: Acts;
  readonly typed: TypedCalls;
  readonly hasModel: boolean;
}

/** A line that begins with a slash. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  /** The arguments, as the help shows them. */
  readonly usage: string;
  readonly about: string;
  /** What Tab completes its arguments with. */
  readonly completes?: 'tools' | 'prompts' | 'resources' | 'servers';
  /** Throws an `McpError` on failure. */
  run(words: readonly string[], chat: Chat, signal: AbortSignal): CommandOutcome;
}
