/** What views need of the session that shows them. */
import type { Client, RequestOptions } from '../../client/index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Act } from '../act/act.ts';
import type { ActSubject } from '../catalogue/act-subject.ts';
import type { HostCatalogue } from '../catalogue/catalogue.ts';
import type { Gate, Permit } from '../gate/gate.ts';
import type { QuestionHandler } from '../questions/question-handler.ts';
import type { AppsOptions } from './app-types.ts';

/** Every `pass` is an act of the session's user. */
export interface ViewSession {
  readonly apps: AppsOptions;
  readonly catalogue: HostCatalogue;
  readonly gate: Gate;
  readonly questions: QuestionHandler | undefined;
  readonly clock: Clock;
  readonly hostName: string;
  /** Aborts with the session. */
  readonly over: AbortSignal;
  readonly onWarning: (warning: string) => void;
  act(kind: Act['kind'], subject: ActSubject, args: JsonObject): Act;
  pass<T>(
    act: Act,
    subject: ActSubject,
    given: RequestOptions,
    run: (client: Client, permit: Permit) => Promise<T>,
  ): Promise<T>;
  /** What a view tells the model from now on, instead of what it told before. */
  show(view: string, text: string | undefined): void;
}
