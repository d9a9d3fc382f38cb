/** The dependencies that the classes of the task service share. */
import type { Link } from '../../peer/exchange.ts';
import type { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { CallDetails, TaskHandlers } from '../call.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { ServerSettings } from '../settings.ts';
import type { TaskSettings } from './settings.ts';
import type { TaskRecords } from './task-records.ts';

export interface TaskCore {
  readonly records: TaskRecords;
  readonly forms: TaskForms;
  readonly tasks: TaskSettings;
  readonly settings: ServerSettings;
  readonly catalogue: PartCatalogue;
  readonly handlers: TaskHandlers;
  /** Outlets by task id. */
  readonly outlets: Map<string, TaskOutlet>;
}

/** Sends progress and log lines to the caller while its conversation is open, if the form of the task has them. */
export type TaskOutlet = Pick<CallDetails, 'logLevel'> & Pick<Link, 'notify'>;
