/** Loads a session's skills and tasks on first use, for the application and for its model. */
import { badDefinition } from '../errors.ts';
import type { Act } from './act/act.ts';
import type { ModelTasks } from './agent/model-tasks.ts';
import type { HostTools } from './agent/model-tools.ts';
import type { SessionResults } from './catalogue/results.ts';
import type { SessionCatalogue } from './catalogue/session-catalogue.ts';
import type { HostSessionContext } from './host-session-context.ts';
import type { Session } from './session.ts';
import type { SessionActs } from './session-acts/session-acts.ts';
import type { SessionSkills } from './skills/session-skills.ts';
import type { SessionTasks } from './tasks/session-tasks.ts';

interface ExtendedSession extends Session {
  readonly catalogue: SessionCatalogue;
  readonly results: SessionResults;
}

export class SessionExtensions {
  readonly #host: HostSessionContext;
  readonly #session: ExtendedSession;
  readonly #acts: SessionActs;
  #skills: SessionSkills | undefined;
  #skillTools: HostTools | undefined;
  #tasks: SessionTasks | undefined;
  #modelTasks: ModelTasks | undefined;

  constructor(host: HostSessionContext, session: ExtendedSession, acts: SessionActs) {
    this.#host = host;
    this.#session = session;
    this.#acts = acts;
  }

  get skillsInUse(): NonNullable<Act['under']> {
    return this.#skills?.inUse ?? [];
  }

  async skills(): Promise<SessionSkills> {
    const { catalogue, skills: load } = this.#host;
    const why = 'it has no skills; pass `skills: true` to createHost';
    if (load === undefined) throw badDefinition('This host', why);
    const [{ SessionSkills: Opened }, skills] = await Promise.all([import('./skills/session-skills.ts'), load()]);
    this.#skills ??= new Opened({ skills, catalogue, acts: this.#acts, view: this.#session.catalogue });
    return this.#skills;
  }

  async skillTools(): Promise<HostTools> {
    const { SkillTools } = await import('./skills/skill-tools.ts');
    this.#skillTools ??= new SkillTools(this.#session);
    return this.#skillTools;
  }

  async tasks(): Promise<SessionTasks> {
    const { tickets, catalogue, onWarning: warn } = this.#host;
    if (tickets === undefined) throw badDefinition('The option "tasks"', 'it is off; pass tasks: true to createHost');
    const { SessionTasks: Opened } = await import('./tasks/session-tasks.ts');
    const { principal } = this.#session;
    this.#tasks ??= new Opened({ tickets, catalogue, acts: this.#acts, principal, warn });
    return this.#tasks;
  }

  async modelTasks(): Promise<ModelTasks> {
    const { ModelTasks: Opened } = await import('./agent/model-tasks.ts');
    this.#modelTasks ??= new Opened({
      clock: this.#host.clock,
      sessionSignal: this.#acts.closeSignal,
      start: async (name, args, given) => (await this.tasks()).start(name, args, given),
    });
    return this.#modelTasks;
  }
}
