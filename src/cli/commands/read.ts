/** `mooring read`: what is behind a URI. */
import type { Client, Progress, ReadResult } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import type { ResourceContents } from '../../model/content.ts';
import { printable } from '../../model/printable.ts';
import { isTemplate } from '../../model/uri-template.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { type OutputTarget, openOutputTarget, outputOptions, type SavedPart } from '../content/output-target.ts';
import { bytesOf, describePart, printText, saveParts } from '../content/show-content.ts';
import { offerOfClient } from '../offer.ts';
import { answerOptions, QuestionAnswerer } from '../questions/answering.ts';
import { suggest } from '../suggest.ts';
import { openTarget } from '../target/open.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import { expandTemplate } from '../tool-arguments/expand-template.ts';
import { readToolArguments } from '../tool-arguments/read-tool-arguments.ts';

export const readCommand = command({
  name: 'read',
  usage: ['<target> <uri>', '<target> <template> [key=value …]', '<uri> [options] -- <command> [argument …]'],
  about:
    'Reads a resource: text goes to standard output, and so do bytes, unless that is a terminal. A template such as\n' +
    'orders://{id} is filled in first. With --out everything is saved, text too.',
  options: {
    ...outputOptions,
    out: { ...outputOptions.out, about: 'Save what is read there; a folder ends with / or exists' },
    ...answerOptions,
    ...targetOptions,
  },
  examples: [
    ['mooring read https://example.com/mcp docs://readme', 'prints a text'],
    ["mooring read shop 'orders://{id}' id=A-1041", 'fills in a template'],
    ['mooring read shop shop://logo --out logo.png', 'saves a picture'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { values } = input;
    const { target, words } = await targetIn(input, shell);
    const [named, ...rest] = words;
    if (named === undefined) throw badArgument('<uri>', 'it is missing; `mooring list` shows which there are');
    const template = isTemplate(named);
    if (!template) rejectExtra(rest);
    const uri = template ? expandTemplate(named, await readToolArguments(rest, shell)) : named;
    const output = await openOutputTarget(values, shell);
    const bar = print.progress(printable(uri));
    const answering = new QuestionAnswerer(
      { shell, print },
      { label: target.label, answers: values.answer, interrupt: () => bar.end() },
    );
    await using client = await openTarget(target, { values, shell, print }, { connect: answering.connect });
    return await answering
      .during(async (signal) => {
        const options = { signal, onProgress: (report: Progress) => bar.update(report) };
        const result = await client
          .read(uri, options)
          .catch((error: unknown) => explained(error, uri, { client, signal }));
        bar.end();
        await tell(result, { shell, print, output });
        return undefined;
      })
      .finally(() => bar.end());
  },
});

/** Who names a resource that is not there wants to see which are. Many servers say no more than that a parameter is wrong. */
async function explained(
  error: unknown,
  uri: string,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<never> {
  if (!(error instanceof RpcError)) throw error;
  if (error.reason !== 'resource-not-found' && error.code !== INVALID_PARAMS) throw error;
  const { resources, templates, failed } = await offerOfClient(client, signal);
  if (failed.length > 0) throw error;
  const known = [...resources.map((one) => one.uri), ...templates.map((one) => one.uriTemplate)];
  if (known.includes(uri)) throw error;
  throw badArgument(uri, `the server has no such resource (${error.message}); ${suggest(uri, known)}`);
}

async function tell(
  { contents, meta }: ReadResult,
  { shell, print, output }: CommandContext & { readonly output: OutputTarget | undefined },
): Promise<void> {
  const parts = contents.map(partOf);
  const paths = output === undefined ? [] : await saveParts(parts, { print, output });
  print.data({
    contents,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    ...(output === undefined ? {} : { saved: paths }),
  });
  if (output !== undefined || print.json) return;
  const binary = contents.findIndex((one) => 'blob' in one);
  const part = parts[binary];
  if (part !== undefined && (shell.stdout.isTTY === true || contents.length > 1))
    throw badArgument(
      '--out',
      `it is missing: ${printable(part.called)} is ${describePart(part)}, which goes neither to a terminal nor beside other contents`,
    );
  for (const [at, one] of contents.entries()) {
    if (contents.length > 1) print.line(`${at === 0 ? '' : '\n'}==> ${printable(one.uri)} <==`);
    // Into a pipe or a file goes what is behind the URI, to the last byte.
    if ('text' in one && (shell.stdout.isTTY === true || contents.length > 1)) printText(one.text, { shell, print });
    else print.raw(parts[at]?.bytes ?? '');
  }
}

function partOf(contents: ResourceContents): SavedPart {
  const { uri, mimeType } = contents;
  if ('text' in contents) return { called: uri, mimeType: mimeType ?? 'text/plain', bytes: Buffer.from(contents.text) };
  const part = bytesOf(contents);
  if (part === undefined)
    throw new McpError('MCP_BAD_RESULT', { method: 'resources/read', why: `the blob of ${uri} is no valid base64` });
  return part;
}
