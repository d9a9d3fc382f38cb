/** An act: anything that a host sends to a server, a user or a model's context. Each one passes the gate: rules, consent, audit record. */
import type { JsonObject } from '../../jsonrpc/message.ts';

/**
 * What an act does, and what its `name` and `arguments` contain. The host compares both with the message before it sends it.
 *
 * - `spawn`, `connect`: the host opens the server
 * - `tool`, `prompt`: the name and the arguments
 * - `resource`: the URI, without arguments
 * - `completion`: the prompt's name or the template, and `{ argument, context? }`
 * - `extension`: a method that is not part of the protocol, and its params
 * - `sampling`, `elicitation`, `roots`: the host's answer to a request of the server (`{ role, content, model, … }`,
 *   `{ action, content }`, `{ roots }`). Sampling is two acts: `request` has the prompt and sends nothing to the server; `answer` has
 *   the model's reply
 * - `visit`: opens a URL for the user, and tells the server that the user agreed; the URL, its host, and the server's message
 * - `message`, `context`: a view writes in the user's name, or to the model; the URI of the view, and its text
 * - `download`: a view saves a file; its name and contents
 * - `skill`: loads a skill; the URI of a file, and the summary for the user (`{ skill, description, files, bytes }`) or, once the
 *   skill is in use, the file (`{ skill, file }`)
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

/** What an act changes; `unknown` without a trusted source. */
export type ActEffects = 'read' | 'write' | 'destructive' | 'unknown';

/** A definition compared with the lock file: `approved`, never approved, changed since, or with text that looks like an attack. */
export type DefinitionStatus = 'approved' | 'new' | 'changed' | 'suspicious';

/** A skill that a session has loaded: the label of its server, the URI of its `SKILL.md`, and the hash of its definition. */
export interface SkillInUse {
  readonly server: string;
  readonly uri: string;
  readonly definition: string;
}

/** A requested action: the input of rules and of the question to the user. */
export interface Act {
  readonly kind: ActKind;
  /** The host's label of the server. The server's own name is unverified, so it identifies nothing. */
  readonly server: string;
  /** A hash of the command or URL that was opened under the label; absent for servers in this process. */
  readonly fingerprint?: string | undefined;
  /** The tool, prompt, URI, command or address. */
  readonly name: string;
  /** The data to send, such as arguments or an answer. Environment variables are listed by name, without values. */
  readonly arguments: JsonObject;
  /** The caller's `_meta`, such as trace context. */
  readonly meta?: JsonObject | undefined;
  /** The user who acts; empty for the host itself. */
  readonly principal: string;
  /** `app` if a view of the server requests the act. Absent if the user, a model or the server does. */
  readonly by?: 'app' | undefined;
  /** The URI of that view. */
  readonly view?: string | undefined;
  /** The id of the session, if the act belongs to one. */
  readonly session?: string | undefined;
  /** The effects according to a trusted source. */
  readonly effects: ActEffects;
  /** The effects according to the server's annotations; without them, the protocol's default. */
  readonly claimed: ActEffects;
  /** The server sent no `destructiveHint`, so `claimed` is the protocol's default. */
  readonly assumed?: true | undefined;
  /** Whether the act reaches systems beyond its server (`openWorldHint`). */
  readonly openWorld: boolean;
  /** The hash of the definition in use. */
  readonly definition?: string | undefined;
  readonly status?: DefinitionStatus | undefined;
  /** Labels of other servers whose text occurs in `arguments`. */
  readonly carries: readonly string[];
  /** The skills in use in the session. Any of them may have instructed the act. */
  readonly under?: readonly SkillInUse[] | undefined;
  /** The estimated cost in tokens, for budgets. Set for sampling. */
  readonly tokens?: number | undefined;
}
