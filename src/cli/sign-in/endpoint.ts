/** The URL that a user signs in to. */
import { Masks } from '../../model/secrets.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { lookupsOf, resolverFor } from '../target/connect-target.ts';
import { type TargetContext, type TargetInput, targetOptions } from '../target/options.ts';
import { type CommandTarget, targetIn } from '../target/target.ts';

const { config } = targetOptions;
/** Of every command about a sign-in. */
export const endpointOptions = { config } as const;

export interface SignInEndpoint {
  readonly target: CommandTarget;
  readonly url: URL;
}

/** Throws `MCP_BAD_ARGUMENT` for a target without a sign-in. Starts nothing. */
export async function endpointIn(input: TargetInput, by: TargetContext): Promise<SignInEndpoint> {
  const { target, words } = await targetIn(input, by.shell);
  rejectExtra(words);
  const { label, source } = target;
  if (!('url' in source))
    throw badArgument(label, 'only a URL has a sign-in; pass credentials to a command with --env');
  const { url, headers = {} } = source;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    throw badArgument(label, 'an Authorization header is sent to this server, so that there is no sign-in');
  const text = url instanceof URL ? url.href : await resolverFor(target, lookupsOf(by), new Masks()).resolve(url);
  if (!URL.canParse(text)) throw badArgument(label, 'its URL is not valid');
  return { target, url: new URL(text) };
}
