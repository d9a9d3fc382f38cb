/** `mooring read`: reads a resource and prints its contents. */
import { RpcError } from '../../errors.ts';
import type { ConnectedServer, ReadResult } from '../../host/index.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { suggest } from '../../model/suggest.ts';
import { isTemplate } from '../../model/uri-template.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { openOutputTarget, outputOptions } from '../content/output-target.ts';
import { type ContentSink, commandSink, describePart } from '../content/show-content.ts';
import { resourcePart, showResource, unlessEmpty } from '../content/show-results.ts';
import { hostOptions } from '../host/host-settings.ts';
import { runOnHost } from '../host/open-host.ts';
import { offerOfClient } from '../offer.ts';
import { answerOptions } from '../questions/question-answerer.ts';
import { targetIn } from '../target/target.ts';
import { readToolArguments } from '../tool-arguments/read-tool-arguments.ts';
import { expandTemplate } from '../tool-arguments/text-arguments.ts';

export const readCommand = command('read', {
  usage: ['<target> <uri>', '<target> <template> [key=value …]', '<uri> [options] -- <command> [argument …]'],
  about: `Read a resource and print its contents.

Variables of a template such as orders://{id} are given as key=value. Binary contents go to a pipe or to --out, not to a terminal.`,
  options: {
    ...outputOptions,
    out: { ...outputOptions.out, about: 'Save all contents here, text too' },
    ...answerOptions,
    ...hostOptions,
  },
  examples: [
    ['mooring read https://example.com/mcp docs://readme'],
    ["mooring read shop 'orders://{id}' id=A-1041"],
    ['mooring read shop shop://logo --out logo.png'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const { target, words } = await targetIn(input);
    const [named, ...rest] = words;
    if (named === undefined) throw badArgument('<uri>', 'expected the URI of a resource; `mooring list` shows them');
    const template = isTemplate(named);
    if (!template) rejectExtra(rest);
    const uri = template ? expandTemplate(named, await readToolArguments(rest, shell)) : named;
    const output = await openOutputTarget(values, shell);
    return runOnHost(target, input, uri, async ({ session, label, client, request, endProgress }) => {
      const result = await session
        .read(label, uri, request)
        .catch((error: unknown) => throwWithSuggestions(error, uri, { client, signal: request.signal }));
      endProgress();
      const sink =
        output === undefined && !print.json ? resourceSink(result, { shell, print }) : commandSink({ print, shell });
      const saved = await showResource(result.contents, { sink, output });
      const { contents, meta } = result;
      print.data({ contents, _meta: unlessEmpty(meta), saved: output && saved });
      return undefined;
    });
  },
});

/** Adds suggestions to the error for an unknown URI. Many servers report one as "invalid params", so that code counts too. */
async function throwWithSuggestions(
  error: unknown,
  uri: string,
  { client, signal }: { readonly client: ConnectedServer; readonly signal: AbortSignal },
): Promise<never> {
  if (!(error instanceof RpcError)) throw error;
  if (error.reason !== 'resource-not-found' && error.code !== INVALID_PARAMS) throw error;
  const { resources, templates, failed } = await offerOfClient(client, signal);
  if (failed.length > 0) throw error;
  const known = [...resources.map((one) => one.uri), ...templates.map((one) => one.uriTemplate)];
  if (known.includes(uri)) throw error;
  const reason = error.reason === 'resource-not-found' ? '' : ` (${error.message})`;
  throw badArgument(uri, `the server has no resource with this URI${reason}; ${suggest(uri, known)}`);
}

/** In a pipe, a single resource is written byte for byte. Throws if binary contents would go to a terminal or next to others. */
function resourceSink({ contents }: ReadResult, { shell, print }: CommandContext): ContentSink {
  const sink = commandSink({ print, shell });
  if (shell.stdout.isTTY !== true && contents.length === 1)
    return {
      ...sink,
      text: (text) => print.raw(text),
      line: () => print.raw(contents.map(resourcePart)[0]?.bytes ?? ''),
    };
  const binary = contents.find((one) => 'blob' in one);
  if (binary === undefined) return sink;
  const part = resourcePart(binary);
  const what = `${printable(part.name)} is ${describePart(part)}`;
  throw badArgument('--out', `required, because ${what}: binary contents are not printed here`);
}
