/** The parts of a server, in the order they were added, and their lists in the form of each revision. */
import { McpError } from '../errors.ts';
import { defined, type JsonObject } from '../jsonrpc/message.ts';
import { constantResult } from '../jsonrpc/write.ts';
import type { ServerCapabilities } from '../model/caller.ts';
import { deepFreeze } from '../model/deep-freeze.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import type { Revision } from '../revisions/contract.ts';
import { encodePrompt, encodeResource, encodeTemplate, encodeTool } from '../revisions/encode.ts';
import type { Vocabulary } from '../revisions/vocabulary.ts';
import { type DefinedPart, type DefinedPrompt, type DefinedResource, type DefinedTool, nameOfPart } from './part.ts';

type Group = 'tools' | 'resources' | 'prompts' | 'completions';
export type PartKindName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** One item of a list. Cursors refer to its `place`, a number that increases along the list and never changes. */
export interface ListEntry {
  readonly place: number;
  readonly item: JsonObject;
  readonly part: DefinedPart;
}

const encoders: Readonly<Record<PartKindName, (vocabulary: Vocabulary, item: JsonObject) => JsonObject>> = {
  tools: encodeTool,
  resources: encodeResource,
  resourceTemplates: encodeTemplate,
  prompts: encodePrompt,
};

type ByKind<T> = { readonly [kind in PartKindName]?: T };

export class PartCatalogue {
  readonly tools: Map<string, DefinedTool> = new Map();
  readonly resources: Map<string, DefinedResource> = new Map();
  readonly templates: Map<string, DefinedResource> = new Map();
  readonly prompts: Map<string, DefinedPrompt> = new Map();
  readonly #places: WeakMap<DefinedPart, number> = new WeakMap();
  /** Capabilities stay declared after their last part is removed: clients know them, and an empty list is a valid result. */
  readonly #offered: Set<Group> = new Set();
  #last = 0;
  /** Whether a part with scopes was ever added. Most servers have none, and skip the check. */
  hasScopes = false;
  /** Whether a part was ever added that lists do not show to every caller. */
  hasAudiences = false;
  /** Whether a template was ever added that lists resources. */
  hasTemplateLists = false;
  readonly #lists: Map<Vocabulary, ByKind<readonly ListEntry[]>> = new Map();
  readonly #firstPages: Map<Revision, ByKind<JsonObject>> = new Map();
  #extensions: NonNullable<ServerCapabilities['extensions']>;
  #capabilities: ServerCapabilities | undefined;
  readonly #hasTasks: boolean;

  constructor(extensions: NonNullable<ServerCapabilities['extensions']> = {}, hasTasks = false) {
    this.#hasTasks = hasTasks;
    this.#extensions = publishableCopy(extensions);
  }

  /** Adds a part; returns the kind of list that changed. */
  add(part: DefinedPart): 'tools' | 'resources' | 'prompts' {
    const name = nameOfPart(part);
    const parts = this.#partsLike(part);
    if (parts.has(name)) throw new McpError('MCP_DUPLICATE_PART', { kind: part.kind, name });
    parts.set(name, part);
    this.#places.set(part, ++this.#last);
    const group = part.kind === 'tool' ? 'tools' : part.kind === 'prompt' ? 'prompts' : 'resources';
    this.#offered.add(group);
    if (part.scopes.length > 0) this.hasScopes = true;
    if (part.isListedFor !== undefined) this.hasAudiences = true;
    if (part.kind === 'resource' && part.list !== undefined) this.hasTemplateLists = true;
    if (part.declares !== undefined) {
      const [id, extension] = part.declares;
      this.#extensions = publishableCopy({ ...this.#extensions, [id]: extension });
    }
    if (part.kind !== 'tool' && part.complete.size > 0) this.#offered.add('completions');
    this.#invalidate();
    return group;
  }

  /** Removes the parts with this name or URI; returns the kinds of lists that changed. */
  remove(name: string): readonly ('tools' | 'resources' | 'prompts')[] {
    const kinds: ('tools' | 'resources' | 'prompts')[] = [];
    if (this.tools.delete(name)) kinds.push('tools');
    if (this.prompts.delete(name)) kinds.push('prompts');
    if (this.resources.delete(name) || this.templates.delete(name)) kinds.push('resources');
    if (kinds.length > 0) this.#invalidate();
    return kinds;
  }

  /** Proves the cost of every plain JSON Schema. If there is none, returns undefined and loads no code. */
  prepare(): Promise<void> | undefined {
    const tools = [...this.tools.values()].flatMap(({ input, output }) => [input, output]);
    const checkers = [...tools, ...[...this.prompts.values()].map(({ args }) => args)];
    const proofs = checkers.flatMap((checker) => checker?.prepare?.() ?? []);
    return proofs.length === 0 ? undefined : Promise.all(proofs).then(() => undefined);
  }

  #partsLike(part: DefinedPart): Map<string, DefinedPart> {
    // Each map holds one kind of part.
    if (part.kind === 'tool') return this.tools as Map<string, DefinedPart>;
    if (part.kind === 'prompt') return this.prompts as Map<string, DefinedPart>;
    return (part.template === undefined ? this.resources : this.templates) as Map<string, DefinedPart>;
  }

  #invalidate(): void {
    this.#lists.clear();
    this.#firstPages.clear();
    this.#capabilities = undefined;
  }

  /** The resource with this URI, or the first template that it matches, with its variables. */
  locate(uri: string): { readonly part: DefinedResource; readonly variables: object } | undefined {
    const exact = this.resources.get(uri);
    if (exact !== undefined) return { part: exact, variables: {} };
    for (const part of this.templates.values()) {
      const variables = part.template?.match(uri);
      if (variables !== undefined) return { part, variables };
    }
    return undefined;
  }

  /** A whole list in the vocabulary of a revision, cached until the parts change. */
  list(kind: PartKindName, vocabulary: Vocabulary): readonly ListEntry[] {
    let list = this.#lists.get(vocabulary)?.[kind];
    if (list === undefined) {
      const parts: ReadonlyMap<string, DefinedPart> = kind === 'resourceTemplates' ? this.templates : this[kind];
      const listed = [...parts.values()].filter(({ isUnlisted }) => isUnlisted !== true);
      list = listed.map((part) => ({
        place: this.#places.get(part) ?? 0,
        item: publishableCopy(encoders[kind](vocabulary, this.#hasTasks ? withTaskSupport(part) : part.definition)),
        part,
      }));
      this.#lists.set(vocabulary, { ...this.#lists.get(vocabulary), [kind]: list });
    }
    return list;
  }

  /** The first page of a list that is the same for every caller, cached until the parts change. */
  firstPage(kind: PartKindName, revision: Revision, make: () => JsonObject): JsonObject {
    let answer = this.#firstPages.get(revision)?.[kind];
    if (answer === undefined) {
      answer = constantResult(deepFreeze(make()));
      this.#firstPages.set(revision, { ...this.#firstPages.get(revision), [kind]: answer });
    }
    return answer;
  }

  /** The headers that mirror arguments of a tool, as its input schema declares them. */
  mirrored(name: unknown): readonly MirroredHeader[] {
    return this.tools.get(name as string)?.mirrored ?? []; // a name of another type is not found
  }

  capabilities(): ServerCapabilities {
    const offers = this.#offered;
    this.#capabilities ??= deepFreeze(
      defined<ServerCapabilities>({
        logging: {},
        extensions: Object.keys(this.#extensions).length > 0 ? this.#extensions : undefined,
        completions: offers.has('completions') ? {} : undefined,
        prompts: offers.has('prompts') ? { listChanged: true } : undefined,
        resources: offers.has('resources') ? { subscribe: true, listChanged: true } : undefined,
        tools: offers.has('tools') ? { listChanged: true } : undefined,
      }),
    );
    return this.#capabilities;
  }
}

/** A frozen copy, as JSON would transmit it: callers in the same process share the object, which must not be the author's own. */
const publishableCopy = <T extends JsonObject>(item: T): T => deepFreeze(JSON.parse(JSON.stringify(item)) as T); // a JSON round trip

/** Adds to a definition whether its tool can run as a task, for servers with tasks. */
const withTaskSupport = ({ definition, taskSupport }: DefinedPart): JsonObject =>
  taskSupport === undefined ? definition : { ...definition, execution: { taskSupport } };
