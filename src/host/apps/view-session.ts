/** The dependencies of views on their session. */
import type { Clock } from '../../peer/clock.ts';
import type { HostCatalogue } from '../catalogue/catalogue.ts';
import type { Gate } from '../gate/gate.ts';
import type { QuestionHandler } from '../questions/question-handler.ts';
import type { SessionActs } from '../session-acts/session-acts.ts';
import type { AppsOptions } from './app-types.ts';

export interface ViewSession {
  readonly apps: AppsOptions;
  readonly catalogue: HostCatalogue;
  readonly gate: Gate;
  readonly questions: QuestionHandler | undefined;
  readonly clock: Clock;
  readonly hostName: string;
  readonly acts: SessionActs;
  readonly onWarning: (warning: string) => void;
  /** Replaces the context that a view provides to the model; undefined removes it. */
  setViewContext(view: string, text: string | undefined): void;
}
