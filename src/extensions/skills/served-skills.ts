/** Builds what a server needs to serve skills: entries, files as resources, and directories. Built once per reload of the folders. */
import type { Resource } from '../../model/parts.ts';
import { type DefinedResource, openPart } from '../../server/part.ts';
import { resource } from '../../server/resource.ts';
import type { DynamicSkill } from './dynamic-skill.ts';
import { decodeSkillText, type SkillEntry } from './skill-entry.ts';
import type { ServedFile } from './skill-folder.ts';
import { skillUri } from './skill-uri.ts';

export interface ServedSkills {
  readonly entries: ReadonlyMap<string, SkillEntry>;
  readonly listed: readonly SkillEntry[];
  /** The direct children of each directory. */
  readonly directories: ReadonlyMap<string, ReadonlyMap<string, Resource>>;
  /** One resource for each file, and a template for each dynamic skill. */
  readonly parts: readonly DefinedResource[];
  /** The digest of each file, by URI. */
  readonly digests: ReadonlyMap<string, string>;
}

interface Sources {
  readonly entries: readonly SkillEntry[];
  readonly files: readonly ServedFile[];
  readonly dynamic: readonly DynamicSkill[];
  isListed(entry: SkillEntry): boolean;
}

export function serveSkills({ entries, files, dynamic, isListed }: Sources): ServedSkills {
  const all = [...entries, ...dynamic.map(({ entry }) => entry)];
  const byUri = new Map(all.map((entry) => [entry.uri, entry]));
  return {
    entries: byUri,
    listed: all.filter(isListed),
    directories: directoriesOf(files),
    digests: new Map(files.map(({ uri, digest }) => [uri, digest])),
    parts: [...files.map((file) => filePart(file, byUri.get(file.uri))), ...dynamic.map(dynamicPart)],
  };
}

/** The resource of one file. Only a `SKILL.md` is in `resources/list`, under the name of its skill. */
function filePart({ uri, segments, bytes }: ServedFile, entry: SkillEntry | undefined): DefinedResource {
  const file = segments.at(-1) ?? uri;
  const text = decodeSkillText(bytes);
  const mimeType = mimeTypeOf(file, text !== undefined);
  const described =
    entry === undefined ? { name: file } : { name: entry.frontmatter.name, description: entry.frontmatter.description };
  const contents = {
    uri,
    mimeType,
    ...(text === undefined ? { blob: Buffer.from(bytes).toString('base64') } : { text }),
  };
  const part = openPart(resource({ uri, mimeType, size: bytes.length, ...described, read: () => [contents] }));
  return entry === undefined ? { ...part, isUnlisted: true } : part;
}

function dynamicPart({ segments, entry, read }: DynamicSkill): DefinedResource {
  const { name, description } = entry.frontmatter;
  const uri = `${skillUri(segments)}/{+file}` as const;
  return openPart(
    resource({
      uri,
      name,
      description,
      async read({ file }, context) {
        const path = String(file);
        const value = await read(path, context);
        return typeof value === 'string'
          ? [{ uri: `${skillUri(segments)}/${path}`, mimeType: mimeTypeOf(path, true), text: value }]
          : value;
      },
    }),
  );
}

/** The directories that contain these files, up to the first segment. */
function directoriesOf(files: readonly ServedFile[]): ReadonlyMap<string, ReadonlyMap<string, Resource>> {
  const directories = new Map<string, Map<string, Resource>>();
  const add = (parent: readonly string[], child: Resource): void => {
    const uri = skillUri(parent);
    const children = directories.get(uri) ?? new Map<string, Resource>();
    children.set(child.uri, child);
    directories.set(uri, children);
  };
  for (const { uri, segments, bytes } of files) {
    const name = segments.at(-1) ?? uri;
    add(segments.slice(0, -1), {
      uri,
      name,
      mimeType: mimeTypeOf(name, decodeSkillText(bytes) !== undefined),
      size: bytes.length,
    });
    for (let depth = segments.length - 1; depth > 1; depth--) {
      const at = segments.slice(0, depth);
      add(at.slice(0, -1), { uri: skillUri(at), name: at.at(-1) ?? '', mimeType: 'inode/directory' });
    }
  }
  return directories;
}

const mimeTypes: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
]);
const mimeTypeOf = (file: string, isText: boolean): string =>
  mimeTypes.get(file.slice(file.lastIndexOf('.') + 1).toLowerCase()) ??
  (isText ? 'text/plain' : 'application/octet-stream');
