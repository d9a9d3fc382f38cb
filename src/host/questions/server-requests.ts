/** Creates the handlers that answer requests of servers: sampling, elicitation and roots, separately for each server. */
import type { Handlers, QuestionContext } from '../../client/index.ts';
import { badDefinition } from '../../errors.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import type { Gate } from '../gate/gate.ts';
import type { Model } from '../models/model.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { ActiveCalls } from './active-calls.ts';
import { Elicitation } from './elicitation.ts';
import type { QuestionHandler } from './question-handler.ts';
import { Sampling, type SamplingLimits } from './sampling.ts';
import { ServerRoots, type ShownRoots } from './server-roots.ts';

/** Settings for answering requests of servers. */
export interface ServerRequestOptions {
  /** Used by `session.run`, and for sampling requests of servers. Without it, servers cannot request sampling. */
  readonly model?: Model | undefined;
  readonly sampling?: SamplingLimits | undefined;
  /** Shows questions of servers to the user. Without it, servers cannot use elicitation. */
  readonly questions?: QuestionHandler | undefined;
  /** The folders (roots) that each server is shown, by label. Servers that are not named cannot request roots. */
  readonly roots?: Readonly<Record<string, readonly string[]>> | undefined;
}

export class ServerRequests {
  readonly activeCalls: ActiveCalls = new ActiveCalls();
  readonly #options: ServerRequestOptions;
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #roots: Map<string, ServerRoots> = new Map();
  /** By label, until the server is removed: a restart must not reset its limits. */
  readonly #handlers: Map<string, Handlers> = new Map();

  constructor(options: ServerRequestOptions, gate: Gate, clock: Clock = systemClock) {
    this.#options = options;
    this.#gate = gate;
    this.#clock = clock;
  }

  handlers(server: HostedServer): Handlers {
    const known = this.#handlers.get(server.label) ?? this.#createHandlers(server);
    this.#handlers.set(server.label, known);
    return known;
  }

  /** The roots of a server. Throws if none are configured. */
  rootsOf(label: string): ShownRoots {
    const roots = this.#roots.get(label);
    if (roots !== undefined) return roots;
    const why = 'the server has none; name its folders in the option "roots" of createHost (an empty list is enough)';
    throw badDefinition(`The roots of "${label}"`, why);
  }

  /** Creates the roots of a server, before it is opened. */
  addServer(server: HostedServer): void {
    const { label } = server;
    const { roots = {} } = this.#options;
    const paths = Object.hasOwn(roots, label) ? roots[label] : undefined;
    if (paths === undefined) return;
    const { activeCalls } = this;
    this.#roots.set(label, new ServerRoots(paths, { server, gate: this.#gate, activeCalls, clock: this.#clock }));
  }

  /** Forgets a server. One that is added under the same label later starts with fresh limits. */
  removeServer(label: string): void {
    this.#roots.get(label)?.stop();
    this.#roots.delete(label);
    this.#handlers.delete(label);
  }

  close(): void {
    for (const roots of this.#roots.values()) roots.stop();
  }

  #createHandlers(server: HostedServer): Handlers {
    const { model, questions, sampling: limits = {} } = this.#options;
    const shared = { server, gate: this.#gate, activeCalls: this.activeCalls, clock: this.#clock };
    const roots = this.#roots.get(server.label);
    return {
      ...(model === undefined ? {} : { sample: new Sampling({ ...shared, model, limits }).handlers }),
      ...(questions === undefined ? {} : { elicit: new Elicitation({ ...shared, questions }).handlers }),
      ...(roots === undefined ? {} : { roots: (context: QuestionContext) => roots.list(context) }),
    };
  }
}
