/** What the methods of a server work with, for one request. */
import type { Revision } from '../../revisions/contract.ts';
import type { Call } from '../call.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { Settings } from '../settings.ts';

export interface Serving {
  readonly catalogue: PartCatalogue;
  readonly settings: Settings;
  readonly revision: Revision;
  readonly call: Call;
}
