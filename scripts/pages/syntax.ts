/** Checks that a block that is not run is well formed. */
import { spawnSync } from 'node:child_process';
import { parseSync } from 'rolldown/utils';
import { parse } from 'yaml';
import { dockerfileFault } from './dockerfile.ts';

/** The first problem found. */
export function syntaxFault(tag: string, text: string): string | undefined {
  try {
    if (tag === 'json') JSON.parse(text);
    else if (tag === 'dockerfile') return dockerfileFault(text);
    else if (tag === 'yaml' || tag === 'yml') parse(text);
    else if (tag === 'ts' || tag === 'tsx' || tag === 'js') return parseSync(`block.${tag}`, text).errors[0]?.message;
    else if (tag === 'sh') return spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' }).stderr.trim() || undefined;
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
