/** Verbs about views of tools. */
import { object, oneOf, optional, shape, string } from '../../model/shape.ts';
import type { VerbParams } from '../protocol.ts';
import { type ViewStepRow, viewSteps } from '../protocol-rows.ts';
import type { VerbGroup } from '../rpc.ts';
import type { WorkbenchViews } from '../workbench-views.ts';

const done = {} as const;

export const appVerbs = (apps: WorkbenchViews): VerbGroup => ({
  screens: ['apps'],
  verbs: {
    'app.list': { params: shape<Readonly<Record<string, never>>>({}), run: () => ({ views: apps.list() }) },
    'app.open': {
      params: shape<VerbParams<'app.open'>>({
        ...{
          server: string,
          tool: string,
          arguments: optional(object),
          call: optional(string),
          context: optional(object),
        },
      }),
      run: (params) => apps.open(params),
    },
    'app.message': {
      params: shape<VerbParams<'app.message'>>({ view: string, message: object }),
      run: ({ view, message }) => {
        apps.message(view, message);
        return done;
      },
    },
    'app.step': {
      params: shape<VerbParams<'app.step'>>({
        ...{ view: string, step: oneOf(...viewSteps), detail: optional(string) },
        state: oneOf<ViewStepRow['state']>('waiting', 'passed', 'failed'),
      }),
      run: ({ view, step, state, detail }) => {
        apps.step(view, step, state, detail);
        return done;
      },
    },
    'app.context': {
      params: shape<VerbParams<'app.context'>>({ view: string, context: object }),
      run: ({ view, context }) => {
        apps.context(view, context);
        return done;
      },
    },
    'app.close': {
      params: shape<VerbParams<'app.close'>>({ view: string }),
      run: async ({ view }) => {
        await apps.close(view);
        return done;
      },
    },
  },
});
