/** What everything in a chat has around it. */
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
  /** What follows the name. */
  readonly usage: string;
  readonly about: string;
  /** What its words may be: those of the catalogue, or servers. */
  readonly completes?: 'tools' | 'prompts' | 'resources' | 'servers';
  /** Throws for everything that went wrong. */
  run(words: readonly string[], chat: Chat, signal: AbortSignal): CommandOutcome;
}
