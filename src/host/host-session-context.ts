/** What a session needs of its host. */
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
  /** Whether a rule may allow it. */
  readonly visibilityOf: SessionCatalogueOptions['visibilityOf'];
  readonly views: SharedViews;
  readonly activeCalls: ActiveCalls;
  readonly model: Model | undefined;
  /** Undefined where no views are shown. */
  readonly apps: AppsOptions | undefined;
  readonly questions: QuestionHandler | undefined;
  readonly hostName: string;
  readonly onWarning: (warning: string) => void;
  readonly clock: Clock;
  /** The skills of all servers, loaded with the first use; undefined where the host has none. */
  readonly skills: (() => Promise<HostSkills>) | undefined;
  /** Undefined where tasks are off. */
  readonly tickets: TicketStore | undefined;
  /** No server is closed for want of use until the returned function is called. */
  keep(): () => void;
  ended(session: Session): void;
}
