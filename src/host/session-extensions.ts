/** What a session loads with its first use: the skills and the tasks of servers, for the application and for its model. */
import { badDefinition } from '../errors.ts';
import type { Act } from './act/act.ts';
import type { ModelTasks } from './agent/model-tasks.ts';
import type { HostTools } from './agent/model-tools.ts';
import type { SessionResults } from './catalogue/results.ts';
import type { HostSessionContext } from './host-session-context.ts';
import type { Session } from './session.ts';
import type { SessionActs } from './session-acts.ts';
import type { SessionSkills } from './skills/session-skills.ts';
import type { SessionTasks } from './tasks/session-tasks.ts';

export class SessionExtensions {
  readonly #host: HostSessionContext;
  readonly #session: Session & { readonly results: SessionResults };
  readonly #acts: SessionActs;
  #skills: SessionSkills | undefined;
  #skillTools: HostTools | undefined;
  #tasks: SessionTasks | undefined;
  #modelTasks: ModelTasks | undefined;

  constructor(host: HostSessionContext, session: Session & { readonly results: SessionResults }, acts: SessionActs) {
    this.#host = host;
    this.#session = session;
    this.#acts = acts;
  }

  get skillsInUse(): NonNullable<Act['under']> {
    return this.#skills?.inUse ?? [];
  }

  async skills(): Promise<SessionSkills> {
    const { catalogue, visibilityOf, skills: load } = this.#host;
    const why = 'it has no skills; pass `skills: true` to createHost';
    if (load === undefined) throw badDefinition('This host', why);
    const [{ SessionSkills: Opened }, skills] = await Promise.all([import('./skills/session-skills.ts'), load()]);
    const { principal, id: session } = this.#session;
    const of = { principal, session, arguments: {}, carries: [], effects: 'unknown' } as const;
    this.#skills ??= new Opened({
      skills,
      catalogue,
      isVisible: (facts) => visibilityOf({ ...of, claimed: 'unknown', openWorld: true, ...facts }).isVisible,
      pass: (kind, subject, { arguments: args, given, run }) =>
        this.#acts.pass(this.#acts.actOn(kind, subject, args), subject, { given, run }),
    });
    return this.#skills;
  }

  async skillTools(): Promise<HostTools> {
    const { SkillTools } = await import('./skills/skill-tools.ts');
    const { results } = this.#session;
    this.#skillTools ??= new SkillTools({
      results,
      list: (signal) => this.#session.skills(signal === undefined ? {} : { signal }),
      load: (server, uri, signal) => this.#session.skill(server, uri, signal === undefined ? {} : { signal }),
    });
    return this.#skillTools;
  }

  async tasks(): Promise<SessionTasks> {
    const { tickets, catalogue, onWarning: warn } = this.#host;
    if (tickets === undefined) throw badDefinition('The option "tasks"', 'it is off; pass tasks: true to createHost');
    const { SessionTasks: Opened } = await import('./tasks/session-tasks.ts');
    this.#tasks ??= new Opened({
      tickets,
      catalogue,
      warn,
      principal: this.#session.principal,
      actOn: (kind, subject, args) => this.#acts.actOn(kind, subject, args),
      pass: (act, subject, { signal, ...options }, run) =>
        this.#acts.run({ signal }, (given) =>
          this.#acts.pass(act, subject, {
            given,
            ...options,
            run: (client, permit) => run(client, permit, given.signal),
          }),
        ),
    });
    return this.#tasks;
  }

  async modelTasks(): Promise<ModelTasks> {
    const { ModelTasks: Opened } = await import('./agent/model-tasks.ts');
    this.#modelTasks ??= new Opened({
      clock: this.#host.clock,
      over: this.#acts.over,
      start: async (name, args, given) => (await this.tasks()).start(name, args, given),
    });
    return this.#modelTasks;
  }
}
