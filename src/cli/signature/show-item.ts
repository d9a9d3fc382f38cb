/** Shows what a server offers under one name: `mooring list <target> <tool>`, and `mooring call <target> <tool> --help`. */
import type { CommandContext } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { failedData, type ServerOffer, tellFailures } from '../offer.ts';
import type { TargetInput } from '../target/options.ts';
import { describeItems, itemsNamed } from './describe-item.ts';

/** JSON has the shape of the whole list, with everything else left out. */
export async function showItem(
  name: string,
  offer: ServerOffer,
  { input, ...by }: CommandContext & { readonly input: TargetInput },
): Promise<ExitCode | undefined> {
  const { server, revision, failed } = offer;
  const items = itemsNamed(name, offer);
  const { lines, examples } = await describeItems(items, input, by);
  by.print.data({ server, revision, ...items, examples, ...failedData(failed) });
  for (const line of lines) by.print.line(line);
  return tellFailures(failed, by);
}
