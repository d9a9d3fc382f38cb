/** Verbs about views of tools (MCP Apps). */
import { object, oneOf, optional, string } from '../../model/shape.ts';
import { type ViewStepRow, viewSteps } from '../protocol-rows.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { WorkbenchViews } from '../workbench-views.ts';

export const appVerbs = (apps: WorkbenchViews): VerbTable => ({
  'app.list': verb({}, () => ({ views: apps.list() })),
  'app.open': verb(
    {
      ...{ server: string, tool: string, call: optional(string) },
      ...{ arguments: optional(object), context: optional(object) },
    },
    (params) => apps.open(params),
  ),
  'app.message': verb({ view: string, message: object }, ({ view, message }) => apps.message(view, message)),
  'app.step': verb(
    {
      ...{ view: string, step: oneOf(...viewSteps), detail: optional(string) },
      state: oneOf<ViewStepRow['state']>('waiting', 'passed', 'failed'),
    },
    ({ view, step, state, detail }) => apps.step(view, step, state, detail),
  ),
  'app.context': verb({ view: string, context: object }, ({ view, context }) => apps.context(view, context)),
  'app.close': verb({ view: string }, ({ view }) => apps.close(view)),
});
