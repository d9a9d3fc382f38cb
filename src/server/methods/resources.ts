/** `resources/read`: what a resource or a template has under a URI. */
import { encodeReadResult } from '../../revisions/encode.ts';
import type { MethodHandler } from '../call.ts';
import { readUri } from '../read-uri.ts';
import { runHandler } from './run-handler.ts';

export const readResource: MethodHandler = (params, facts, call) => {
  const uri = params['uri'] as string; // the params' shape was checked
  call.what = `resource "${uri}"`;
  return runHandler(facts, call, async () =>
    encodeReadResult(facts.revision.vocabulary, await readUri(uri, call, facts)),
  );
};
