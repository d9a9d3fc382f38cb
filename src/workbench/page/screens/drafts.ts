/** Keeps the typed arguments and the last outcome of each tool while the user visits other screens. Arguments also survive a reload. */
import { type Signal, signal } from '@preact/signals';
import { setNewest } from '../../../peer/set-newest.ts';
import type { CallValue, OfferRow, Outcome } from '../../protocol-rows.ts';
import type { FieldSchema } from '../parts/field-schema.ts';
import { initialValue } from '../parts/form-model.ts';

export interface ToolDraft {
  readonly text: Signal<string>;
  readonly meta: Signal<string>;
  readonly deadline: Signal<string>;
  readonly tab: Signal<string>;
  /** The id of the running call. */
  readonly running: Signal<string | undefined>;
  readonly outcome: Signal<Outcome<CallValue> | undefined>;
  /** The id of the call that `outcome` is, or will be, about. */
  readonly followed: Signal<string | undefined>;
}

/** Beyond this, the oldest drafts are evicted. */
const MAX_DRAFTS = 200;
const drafts: Map<string, ToolDraft> = createDrafts();

function createDrafts(): Map<string, ToolDraft> {
  return new Map();
}

const storageKey = (key: string): string => `mooring-draft ${key}`;

export function draftOf(tool: OfferRow): ToolDraft {
  const key = `${tool.server} ${tool.key}`;
  const found = drafts.get(key);
  if (found !== undefined) return found;
  const schema = (tool.inputSchema ?? {}) as FieldSchema;
  const made: ToolDraft = {
    text: signal(sessionStorage.getItem(storageKey(key)) ?? JSON.stringify(initialValue(schema, schema), null, 2)),
    meta: signal(''),
    deadline: signal(''),
    tab: signal('call'),
    running: signal(undefined),
    outcome: signal(undefined),
    followed: signal(undefined),
  };
  setNewest(drafts, key, made, MAX_DRAFTS);
  return made;
}

export function setDraftText(tool: OfferRow, text: string): void {
  draftOf(tool).text.value = text;
  try {
    sessionStorage.setItem(storageKey(`${tool.server} ${tool.key}`), text);
  } catch {
    // sessionStorage is full: the text is lost only on reload.
  }
}
