/** Bundles `mooring/view` as a classic script for `app({ script: true })`. It is committed, so that users need no build. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const folder = new URL('../src/extensions/apps/', import.meta.url);

/** The generated file. */
export const viewScriptFile: string = fileURLToPath(new URL('view-script.ts', folder));

/** The content of the generated file. */
export async function viewScriptSource(): Promise<string> {
  const { output } = await build({
    input: fileURLToPath(new URL('view.ts', folder)),
    platform: 'browser',
    write: false,
    logLevel: 'warn',
    output: { format: 'iife', name: 'mooringView', minify: true },
  });
  const script = `${output[0].code.trim()}globalThis.connectView=mooringView.connectView;`;
  return [
    '/** `mooring/view` as a script. Written by `npm run view-script` from view.ts; change that. */',
    `export const VIEW_SCRIPT: string = ${JSON.stringify(script)};`,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(viewScriptFile, await viewScriptSource());
