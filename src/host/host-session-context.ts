/** What a session uses of its host. */
import type { Clock } from '../peer/clock.ts';
import type { AppsOptions } from './apps/app-types.ts';
import type { HostCatalogue } from './catalogue/catalogue.ts';
import type { SessionCatalogueOptions, SharedViews } from './catalogue/session-catalogue.ts';
import type { Gate } from './gate/gate.ts';
import type { Model } from './models/model.ts';
import type { ActiveCalls } from './questions/active-calls.ts';
import type { QuestionHandler } from './questions/question-handler.ts';
import type { Session } from './session.ts';
import type { HostSkills } from './skills/host-skills.ts';
import type { TicketStore } from './tasks/tickets.ts';

export interface HostSessionContext {
  readonly gate: Gate;
  readonly catalogue: HostCatalogue;
  /** Decides whether the session sees a part: hides what the rules deny. */
  readonly visibilityOf: SessionCatalogueOptions['visibilityOf'];
  readonly views: SharedViews;
  readonly activeCalls: ActiveCalls;
  readonly model: Model | undefined;
  /** Undefined if the host shows no views (MCP Apps). */
  readonly apps: AppsOptions | undefined;
  readonly questions: QuestionHandler | undefined;
  readonly hostName: string;
  readonly onWarning: (warning: string) => void;
  readonly clock: Clock;
  /** Loads the skills of all servers on first use. Undefined if skills are off. */
  readonly skills: (() => Promise<HostSkills>) | undefined;
  /** Undefined if tasks are off. */
  readonly tickets: TicketStore | undefined;
  /** Prevents the idle timeout of all servers until the returned function is called. */
  keepServersOpen(): () => void;
  endSession(session: Session): void;
}
