/** Everything that reaches out of a host is an act, and every act takes the same way: facts, rules, consent, act, audit. */
import type { JsonObject } from '../../jsonrpc/message.ts';

/**
 * What is about to happen. The first two connect to a server, and the next five use it. In the next three the server asks for
 * something, and the answer is the act. `visit` opens a URL for the user. The next three are what a view of a server
 * asks of the host, and the last one loads a skill.
 *
 * `name` and `arguments` are compared with what is sent:
 *
 * - tool, prompt: its name and its arguments
 * - resource: its URI, and no arguments
 * - completion: the prompt's name or the template, and `{ argument, context? }`
 * - extension: a method that is not part of the protocol, and its params
 * - sampling, elicitation, roots: the answer as it would be sent (`{ role, content, model, … }`, `{ action, content }`, `{ roots }`).
 *   Sampling is two acts: `request` has what the model would be asked, and sends nothing to the server; `answer` has its reply
 * - visit: the URL, and what the server said of it; permission for it also answers that the user agreed
 * - message, context: the URI of the view, and what it would say in the user's name, or tell a model
 * - download: the name of the file, and its contents
 * - skill: the URI of a file that is read, and what the user is shown of the skill (`{ skill, description, files, bytes }`), or, once
 *   the skill is in use, which file of it is read (`{ skill, file }`)
 */
export type ActKind =
  | 'spawn'
  | 'connect'
  | 'tool'
  | 'resource'
  | 'prompt'
  | 'completion'
  | 'extension'
  | 'sampling'
  | 'elicitation'
  | 'roots'
  | 'visit'
  | 'message'
  | 'context'
  | 'download'
  | 'skill';

/** What an act does to the world; `unknown` where no trusted source says. */
export type ActEffects = 'read' | 'write' | 'destructive' | 'unknown';

/** A definition compared with the lock: as approved, never approved, another than before, or with text that looks like an attack. */
export type DefinitionStatus = 'approved' | 'new' | 'changed' | 'suspicious';

/** A skill whose text a session has loaded: the label of its server, the URI of its `SKILL.md`, and the hash of what was approved. */
export interface SkillInUse {
  readonly server: string;
  readonly uri: string;
  readonly definition: string;
}

/** Something that is about to leave the host: what rules look at and people are asked about. */
export interface Act {
  readonly kind: ActKind;
  /** The label that the host gave the server; what a server calls itself identifies nothing. */
  readonly server: string;
  /** A hash of the command or URL behind the label, as it was opened; absent for servers of this process. */
  readonly fingerprint?: string | undefined;
  /** The tool, prompt, URI, command or address. */
  readonly name: string;
  /** What would leave the host: arguments, an answer, an environment by its names. */
  readonly arguments: JsonObject;
  /** What the caller sends along as `_meta`, such as trace context. */
  readonly meta?: JsonObject | undefined;
  /** Who acts; empty for the host itself. */
  readonly principal: string;
  /** `app` where a view of the server asks for it. Absent where the user, a model or the server does. */
  readonly by?: 'app' | undefined;
  /** The URI of that view. */
  readonly view?: string | undefined;
  /** The conversation with the user that it belongs to, if any. */
  readonly session?: string | undefined;
  /** What it does to the world, as far as a trusted source says. */
  readonly effects: ActEffects;
  /** What the server says that it does; where it does not say, what the protocol has clients assume. */
  readonly claimed: ActEffects;
  /** The server does not say whether it destroys anything: `claimed` is an assumption. */
  readonly assumed?: true | undefined;
  /** It reaches beyond its server, as far as the server says. */
  readonly openWorld: boolean;
  /** The hash of the definition that would be used. */
  readonly definition?: string | undefined;
  readonly status?: DefinitionStatus | undefined;
  /** The labels of other servers whose text goes along. */
  readonly carries: readonly string[];
  /** The skills that are in use in the session: what is done may be what one of them says. */
  readonly under?: readonly SkillInUse[] | undefined;
  /** What it may cost, where that is counted. */
  readonly tokens?: number | undefined;
}
