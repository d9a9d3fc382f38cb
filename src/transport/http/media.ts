/** Checks the media type of a request body, and parses the `Accept` header. */
import { mediaType } from '../../model/media-type.ts';
import type { HttpView } from './view.ts';

export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
}

const both: Accepts = { json: true, events: true };
const json = /^(?:application|\*)\/(?:json|\*)$/;
const events = /^(?:text|\*)\/(?:event-stream|\*)$/;

/** Parses an `Accept` header. Without it, a client accepts everything. */
export function acceptsOf(header: string | undefined): Accepts {
  if (header === undefined || header === 'application/json, text/event-stream') return both;
  const found = { json: false, events: false };
  const rejected: string[] = [];
  for (const range of header.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) rejected.push(type);
    else {
      if (json.test(type)) found.json = true;
      if (events.test(type)) found.events = true;
    }
  }
  // An exact type has precedence over a wildcard.
  if (rejected.includes('application/json')) found.json = false;
  if (rejected.includes('text/event-stream')) found.events = false;
  return found;
}

/** Why the type or encoding of a body is rejected; undefined if it is accepted. A comma in the type means a duplicate header. */
export function bodyFault(view: HttpView): string | undefined {
  const type = view.header('content-type');
  if (mediaType(type) !== 'application/json' || type?.includes(','))
    return `Content-Type must be application/json, not ${type === undefined ? 'absent' : JSON.stringify(type.slice(0, 100))}`;
  const encoding = view.header('content-encoding');
  return encoding === undefined || encoding.toLowerCase() === 'identity'
    ? undefined
    : 'a request body is sent as it is, without Content-Encoding';
}
