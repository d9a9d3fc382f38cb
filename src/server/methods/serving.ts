/** What the methods of a server work with, for one request. */
import type { Revision } from '../../revisions/contract.ts';
import type { HandlerCall } from '../call.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { ServerSettings } from '../settings.ts';

export interface MethodContext {
  readonly catalogue: PartCatalogue;
  readonly settings: ServerSettings;
  readonly revision: Revision;
  readonly call: HandlerCall;
}
