/** `resources/read`: reads the resource with a URI, or the first template that it matches. */
import { encodeReadResult } from '../../revisions/encode.ts';
import type { MethodHandler } from '../call.ts';
import { readUri } from '../read-uri.ts';
import { runHandler } from './run-handler.ts';

export const readResource: MethodHandler = (params, details, call) => {
  const uri = params['uri'] as string; // the params' shape was checked
  call.what = `resource "${uri}"`;
  return runHandler(details, call, async () =>
    encodeReadResult(details.revision.vocabulary, await readUri(uri, call, details)),
  );
};
