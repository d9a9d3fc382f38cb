/** What every part of a service of tasks works with. */
import type { Link } from '../../peer/exchange.ts';
import type { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { CallFacts, TaskHandlers } from '../call.ts';
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
  /** By the id of the task. */
  readonly outlets: Map<string, TaskOutlet>;
}

/** The way to the caller while its conversation lives: progress and log lines, where the form of the task has them. */
export type TaskOutlet = Pick<CallFacts, 'logLevel'> & Pick<Link, 'notify'>;
