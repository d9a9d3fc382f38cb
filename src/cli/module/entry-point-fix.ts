/** Finds the entry point for a name that a user's module imports from the wrong one. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../jsonrpc/message.ts';

/** Node's message, and that of modules that a loader compiled to CommonJS: `(0, import_mooring.serveStdio) is not a function`. */
const MISSING =
  /requested module '(?:mooring)(?:\/[\w-]+)?' does not provide an export named '(\w+)'|\(0, ?import_mooring\d*\.(\w+)\) is not a function/;

/** The import to write instead, from the package that `file` imports. Undefined for other errors, and for names that no entry point has. */
export async function entryPointFix(thrown: unknown, file: string): Promise<string | undefined> {
  const [, imported, called] = MISSING.exec(thrown instanceof Error ? thrown.message : '') ?? [];
  const name = imported ?? called;
  if (name === undefined) return undefined;
  const require = createRequire(file);
  for (const specifier of entryPointsOf(require)) {
    try {
      const module = (await import(pathToFileURL(require.resolve(specifier)).href)) as object; // a module is an object
      if (name in module) return `write \`import { ${name} } from '${specifier}'\``;
    } catch {
      // An entry point that cannot be loaded here, such as one for pages or one without its peer package.
    }
  }
  return undefined;
}

function entryPointsOf(require: NodeJS.Require): readonly string[] {
  try {
    const manifest: unknown = require('mooring/package.json');
    const exported = isObject(manifest) && isObject(manifest['exports']) ? Object.keys(manifest['exports']) : [];
    return exported.filter((path) => !path.endsWith('.json')).map((path) => `mooring${path.slice(1)}`);
  } catch {
    return [];
  }
}
