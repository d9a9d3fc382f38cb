/** A server of skills whose files and entries a test can change at any time. */
import { createHash } from 'node:crypto';
import { RpcError } from '../../src/errors.ts';
import type { SkillEntry } from '../../src/extensions/skills/skill-entry.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { FakeServer, type Handler } from './fake-server.ts';

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** The text of a `SKILL.md`. */
export const skillMd = (
  name: string,
  { description = `How to do ${name}`, more = '', body = 'Do it well.' } = {},
): string => `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${body}\n`;

/** A skill entry for these files; name and description are those in `SKILL.md`. */
export function entryOf(folder: string, files: Readonly<Record<string, string>>): SkillEntry {
  const [, name = '', description = ''] = /name: (.*)\ndescription: (.*)\n/.exec(files['SKILL.md'] ?? '') ?? [];
  const resources = Object.entries(files).map(([path, text]) => ({
    ...{ uri: `${folder}/${path}`, digest: digestOf(text), size: Buffer.byteLength(text) },
  }));
  return { uri: `${folder}/SKILL.md`, frontmatter: { name, description }, resources };
}

export class SkillHarbour {
  /** Results of `resources/read`, by URI. */
  readonly files: Map<string, string> = new Map();
  /** Results of `skills/get`, by URI. */
  readonly entries: Map<string, unknown> = new Map();
  /** URIs that `skills/list` omits. */
  readonly unlisted: Set<string> = new Set();
  readonly server: FakeServer;
  /** Called before each request is answered; a thrown error becomes the response. */
  onRequest: (method: string, params: JsonObject) => unknown = () => undefined;

  constructor({ tools = [], declares = true }: { tools?: readonly string[]; declares?: boolean } = {}) {
    const on: Record<string, Handler> = {
      'tools/list': () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })), ...uncached }),
      'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `${String(name)} is done` }] }),
      'skills/list': () => ({
        skills: [...this.entries].flatMap(([uri, entry]) => (this.unlisted.has(uri) ? [] : [entry])),
        ...uncached,
      }),
      'skills/get': ({ uri }) => {
        const skill = this.entries.get(String(uri));
        return skill === undefined ? new RpcError(-32602, 'No such skill') : { skill, ...uncached };
      },
      'resources/read': ({ uri }) => {
        const text = this.files.get(String(uri));
        if (text === undefined) return new RpcError(-32602, 'No such resource');
        return { contents: [{ uri: String(uri), text }], ...uncached };
      },
    };
    const watched = Object.entries(on).map(([method, answer]): [string, Handler] => [
      method,
      (params, line, request) => {
        const said = this.onRequest(method, params);
        return said instanceof RpcError ? said : answer(params, line, request);
      },
    ]);
    const extensions = declares ? { extensions: { 'io.modelcontextprotocol/skills': {} } } : {};
    const capabilities = { tools: {}, resources: {}, ...extensions };
    this.server = new FakeServer({ revision: '2026-07-28', capabilities, on: Object.fromEntries(watched) });
  }

  /** Serves a skill with a matching entry. */
  serve(folder: string, files: Readonly<Record<string, string>>): this {
    for (const [path, text] of Object.entries(files)) this.files.set(`${folder}/${path}`, text);
    const entry = entryOf(folder, files);
    this.entries.set(entry.uri, entry);
    return this;
  }

  /** The URIs that were read. */
  get reads(): string[] {
    return this.server.params('resources/read').map(({ uri }) => String(uri));
  }
}

const uncached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } as const;
