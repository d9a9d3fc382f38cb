/** Connecting to an address: what is shown of it, and with which headers it is done. */

import type { ConnectOptions } from '../../client/index.ts';
import { type ConnectionPlan, planConnection } from '../../connect/target.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import { displayUrl } from '../../model/printable.ts';
import type { Masks } from '../../model/secrets.ts';
import type { UrlOptions } from '../../transport/http-client/options.ts';
import type { Act } from '../act/act.ts';
import type { ConfigText, UrlSource } from '../config/source.ts';
import { fingerprintOf } from './fingerprint.ts';
import { mapAll, openAct, type ServerPlan, type ServerPlanOptions } from './server-plan.ts';
import { TextResolver } from './text-resolver.ts';

export async function planUrl(source: UrlSource, options: ServerPlanOptions): Promise<ServerPlan> {
  const texts = new TextResolver({ ...options, from: source.from });
  const address = source.url instanceof URL ? source.url.href : source.url;
  const url = await texts.display(address, { variables: false });
  const headers = Object.keys(source.headers ?? {}).map((name) => name.toLowerCase());
  const details = { url, headers: headers.toSorted() };
  const act: Act = {
    ...openAct(options.label),
    kind: 'connect',
    name: URL.canParse(url) ? displayUrl(new URL(url)) : url,
    arguments: details,
    definition: await fingerprintOf(details, await hiddenValues(source, address, texts), options.fingerprintKey),
  };
  const way = async (): Promise<ConnectionPlan> => {
    const { from: _, url: _url, headers: named = {}, auth = options.auth, ...rest } = source;
    const fields = await mapAll(
      Object.entries(named),
      async ([name, text]): Promise<[string, string]> => [name, await resolveHeader(text, texts, options.masks)],
    );
    const shows = headers.includes('authorization') ? {} : { auth };
    const given: ConnectOptions & UrlOptions = {
      ...options.connect,
      ...rest,
      ...shows,
      headers: Object.fromEntries(fields),
    };
    return planConnection(await texts.resolve(address), given);
  };
  return { act, warnings: urlWarnings(url), resolve: way };
}

/** Where it leads in the end, and the headers as they are written. What variables hold in headers are credentials, which change. */
async function hiddenValues(source: UrlSource, address: ConfigText, texts: TextResolver): Promise<unknown> {
  if (typeof address === 'string' && Object.keys(source.headers ?? {}).length === 0) return undefined;
  const headers = await mapAll(Object.entries(source.headers ?? {}), async ([name, text]) => [
    name.toLowerCase(),
    await texts.display(text, { variables: false }),
  ]);
  return { url: await texts.display(address, { variables: true }), headers };
}

/** What stands in a header is a credential more often than not. */
async function resolveHeader(text: ConfigText, texts: TextResolver, masks: Masks): Promise<string> {
  const whole = await texts.resolve(text);
  masks.add(whole.replace(/^(?:Bearer|Basic|Token)\s+/i, ''));
  return whole;
}

function urlWarnings(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, hostname } = new URL(url);
  const local = isLoopbackHost(hostname);
  const open =
    protocol === 'http:' && !local ? ['What is sent there can be read and changed on the way: no https.'] : [];
  return hostname.includes('xn--') ? [...open, 'Its name is written in other letters than it seems.'] : open;
}
