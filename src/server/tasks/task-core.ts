/** What every part of a service of tasks works with. */
import type { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { TaskHandlers } from '../call.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { ServerSettings } from '../settings.ts';
import type { TaskRunner } from './runner.ts';
import type { TaskRecords } from './task-records.ts';

export interface TaskCore {
  readonly records: TaskRecords;
  readonly runner: TaskRunner;
  readonly settings: ServerSettings;
  readonly catalogue: PartCatalogue;
  readonly handlers: TaskHandlers;
  readonly forms: TaskForms;
}
