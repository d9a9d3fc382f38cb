/** Whether the answer to a form is one that the form allows. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Question } from '../../revisions/contract.ts';
import { foreignChecker } from '../../schema/index.ts';

/** A form that cannot be checked is left to the server that sent it. */
export async function fitsForm({ params }: Question, { content = {} }: JsonObject): Promise<boolean> {
  try {
    const checker = foreignChecker(params['requestedSchema'] as JsonObject, 'a form'); // rejected where it is no object
    return (await checker.check(content)).ok;
  } catch {
    return true;
  }
}
