/** `mooring types`: generates a TypeScript module with the types of a server. */
import { stat } from 'node:fs/promises';
import { readFileText } from '../../files/read-file.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { command, withValue } from '../command.ts';
import { type OutputTarget, openOutputTarget, outputOptions } from '../content/output-target.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost } from '../host/open-host.ts';
import { offerOfClient, reportListFailures } from '../offer.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';
import { onlyTarget } from '../target/target.ts';
import { MARK, moduleText } from '../types/module-text.ts';

export const types = command('types', {
  usage: ['<target> [--out <file>]', '[options] -- <command> [argument …]'],
  about: `Generate TypeScript types for a server.

The module has one type, from the schemas that the server publishes: connect<Shop>(url) then checks names, arguments and results.`,
  exits: [
    [0, 'the module is complete'],
    [1, 'a list failed and is left out; its method and error are on standard error'],
  ],
  options: {
    out: withValue('file', 'Write the module to this file (default: standard output)'),
    force: { ...outputOptions.force, about: 'Overwrite a file that this command did not write' },
    ...hostOptions,
  },
  examples: [
    ['mooring types https://example.com/mcp --out src/shop.ts'],
    ['mooring types --out shop.ts -- node server.js'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const target = await onlyTarget(input);
    const output = await moduleOutput(values, shell);
    await using opened = await openHost(target, input);
    const offer = await offerOfClient(opened.client, shell.signal);
    const { name, text } = moduleText(offer, (why) => print.note(printable(why)));
    const exit = reportListFailures(offer.failed, { print });
    if (output === undefined) {
      print.data({ name, text });
      print.raw(text);
      return exit;
    }
    const [file = ''] = await output.save([{ name: '', mimeType: undefined, bytes: Buffer.from(text) }]);
    print.data({ name, file });
    print.note(`The type ${name} is in ${file}`);
    return exit;
  },
});

const MAX_MODULE_BYTES: number = 16 * 1024 * 1024;

/** Overwrites a file without --force only if this command generated it. */
async function moduleOutput(
  values: { out?: string; force?: boolean },
  shell: Shell,
): Promise<OutputTarget | undefined> {
  const { out } = values;
  if (out === undefined) return openOutputTarget(values, shell);
  const path = pathFrom(shell, out);
  if (/[/\\]$/.test(out) || (await stat(path).catch(() => undefined))?.isDirectory() === true)
    throw badArgument(`--out ${out}`, 'expected a file, not a folder');
  const before = (await readFileText(path, { maxBytes: MAX_MODULE_BYTES }).catch(() => undefined)) ?? '';
  return openOutputTarget(before.startsWith(MARK) ? { out, force: true } : values, shell);
}
