/** `skills/list`, `skills/get` and `resources/directory/read`. */
import { RpcError } from '../../errors.ts';
import { defined, INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { pageParams, readResourceParams } from '../../revisions/methods.ts';
import type { ExtensionMethod } from '../../server/extension.ts';
import { pageOf } from '../../server/methods/lists.ts';
import type { ServedSkills } from './served-skills.ts';

const directoryParams: ExtensionMethod['params'] = (value, at) =>
  readResourceParams(value, at) ?? pageParams(value, at);

export function skillMethods(current: () => ServedSkills): ReadonlyMap<string, ExtensionMethod> {
  const list: ExtensionMethod['answer'] = ({ cursor }, { settings }) => {
    const listed = current().listed.map((entry, i) => ({ place: i + 1, entry }));
    const { items, nextCursor } = pageOf('skills', listed, cursor, settings.pageSize);
    return defined<JsonObject>({ skills: items.map(({ entry }) => entry), nextCursor, ...settings.hints });
  };
  const get: ExtensionMethod['answer'] = ({ uri }, { settings }) => {
    const skill = current().entries.get(String(uri));
    if (skill === undefined) throw new RpcError(INVALID_PARAMS, 'There is no skill with this URI', { uri });
    return { skill, ...settings.hints };
  };
  const readDirectory: ExtensionMethod['answer'] = ({ uri, cursor }, { settings }) => {
    const children = current().directories.get(String(uri));
    if (children === undefined) throw new RpcError(INVALID_PARAMS, 'There is no directory with this URI', { uri });
    const all = [...children.values()].map((child, i) => ({ place: i + 1, child }));
    const { items, nextCursor } = pageOf('directory', all, cursor, settings.pageSize);
    return defined<JsonObject>({ resources: items.map(({ child }) => child), nextCursor });
  };
  return new Map<string, ExtensionMethod>([
    ['skills/list', { params: pageParams, repeatable: true, cacheable: true, answer: list }],
    ['skills/get', { params: readResourceParams, repeatable: true, cacheable: true, answer: get }],
    ['resources/directory/read', { params: directoryParams, repeatable: true, answer: readDirectory }],
  ]);
}
