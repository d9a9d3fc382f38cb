/** Which servers of one configuration can be copied into another, and which names are taken there. */

import type { CommandSource, ConfigReport, UrlSource } from '../../host/index.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { type ImportedServer, toImportedServer } from './import.ts';
import type { Refer } from './known-applications.ts';

export interface NamedImport extends ImportedServer {
  readonly name: string;
}
export interface Conflict {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}
export interface ImportPlan {
  readonly fresh: readonly NamedImport[];
  readonly same: readonly NamedImport[];
  readonly conflicts: readonly Conflict[];
}

/** `refer` spells a variable as the file does that they are copied into. */
export function planOf({ servers }: ConfigReport, there: ConfigReport, refer: Refer): ImportPlan {
  const taken = new Map<string, Conflict & { readonly source?: CommandSource | UrlSource }>();
  for (const source of Object.values(there.servers))
    if (source.from !== undefined) taken.set(source.from.name, { ...source.from, source });
  for (const one of there.left) taken.set(one.name, one);
  const [fresh, same, conflicts]: [NamedImport[], NamedImport[], Conflict[]] = [[], [], []];
  for (const [label, source] of Object.entries(servers)) {
    const name = source.from?.name ?? label;
    const one = { name, ...toImportedServer(source, refer) };
    const other = taken.get(name);
    if (other === undefined) fresh.push(one);
    else if (
      other.source !== undefined &&
      canonicalJson(toImportedServer(other.source, refer).change) === canonicalJson(one.change)
    )
      same.push(one);
    else conflicts.push({ name, file: other.file, line: other.line });
    if (other === undefined)
      taken.set(name, { name, file: source.from?.file ?? '', line: source.from?.line ?? 0, source });
  }
  return { fresh, same, conflicts };
}
