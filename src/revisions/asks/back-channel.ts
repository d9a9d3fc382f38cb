/** Asking the client by sending it a request on the same conversation, and waiting. */
import type { Asks } from '../contract.ts';

export const backChannel: Asks = {
  // Loaded with the first question: many servers never ask one.
  begin: async (context) => new (await import('./live.ts')).LiveAsking(context),
  resumes: () => false,
  wanted: () => undefined,
};
