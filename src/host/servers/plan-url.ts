/** Plans how to connect to a URL: what the user is shown, and the headers that are sent. */
import { planConnection } from '../../connect/target.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import { displayUrl } from '../../model/printable.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Act } from '../act/act.ts';
import type { ConfigText, UrlSource } from '../config/source.ts';
import { fingerprintOf } from './fingerprint.ts';
import { mapTexts, openAct, type ServerPlan, type ServerPlanOptions, valueWarnings } from './server-plan.ts';
import { TextResolver } from './text-resolver.ts';

export async function planUrl(source: UrlSource, options: ServerPlanOptions): Promise<ServerPlan> {
  const { from, url, headers = {}, auth = options.auth, ...rest } = source;
  const texts = new TextResolver({ ...options, from });
  const address = url instanceof URL ? url.href : url;
  const shownUrl = await texts.display(address, { variables: false });
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const details = { url: shownUrl, headers: names.toSorted() };
  const name = URL.canParse(shownUrl) ? displayUrl(new URL(shownUrl)) : shownUrl;
  const hidden = await hiddenValues(address, headers, texts);
  const definition = await fingerprintOf(details, hidden, options.fingerprintKey);
  const act: Act = { ...openAct(options.label), name, arguments: details, definition };
  return {
    act,
    warnings: [...urlWarnings(shownUrl), ...valueWarnings(headers)],
    resolve: async () => {
      const fields = await mapTexts(headers, (text) => resolveHeader(text, texts, options.masks));
      const credentials = names.includes('authorization') ? {} : { auth };
      const connect = { ...options.connect, ...rest, ...credentials, headers: Object.fromEntries(fields) };
      return planConnection(await texts.resolve(address), connect);
    },
  };
}

/** Resolves the URL and the headers as they are sent, without a host. */
export async function resolveUrl(
  { url, headers = {} }: UrlSource,
  texts: TextResolver,
): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }> {
  const fields = await mapTexts(headers, (text) => texts.resolve(text));
  return { url: url instanceof URL ? url.href : await texts.resolve(url), headers: Object.fromEntries(fields) };
}

/** The hidden part of the fingerprint: the resolved URL, and headers without their variables, which are credentials and change. */
async function hiddenValues(
  address: ConfigText,
  headers: NonNullable<UrlSource['headers']>,
  texts: TextResolver,
): Promise<unknown> {
  if (typeof address === 'string' && Object.keys(headers).length === 0) return undefined;
  const shown = await mapTexts(headers, (text) => texts.display(text, { variables: false }));
  const lower = shown.map(([name, text]) => [name.toLowerCase(), text]);
  return { url: await texts.display(address, { variables: true }), headers: lower };
}

/** Resolves a header, and masks it in logs, because most headers in a configuration are credentials. */
async function resolveHeader(text: ConfigText, texts: TextResolver, masks: Masks): Promise<string> {
  const whole = await texts.resolve(text);
  masks.add(whole.replace(/^(?:Bearer|Basic|Token)\s+/i, ''));
  return whole;
}

function urlWarnings(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, hostname } = new URL(url);
  const warnings: string[] = [];
  if (protocol === 'http:' && !isLoopbackHost(hostname))
    warnings.push('Others on the network can read and change what is sent there: the URL is not https.');
  if (hostname.includes('xn--')) warnings.push('Its host name has letters that look like others.');
  return warnings;
}
