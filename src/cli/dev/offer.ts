/** What a server offers, as a client sees it. */
import { connect } from '../../connect/connect.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Servable } from '../../peer/exchange.ts';
import { type ListFailure, listOrFail } from '../offer.ts';
import type { VersionOffer } from './wire.ts';

export interface OfferReport {
  readonly offer: VersionOffer;
  readonly failed: readonly ListFailure[];
}

export async function offerOfServer(server: Servable): Promise<OfferReport> {
  await using client = await connect(server, { name: 'mooring dev' });
  const { capabilities, info } = client.server;
  const by = { failed: [] as ListFailure[], signal: new AbortController().signal };
  const listed = async (kind: 'tools' | 'resources' | 'templates' | 'prompts'): Promise<readonly JsonObject[]> =>
    (await listOrFail(client, kind, by)).map((item) => ({ ...item }));
  const offer = {
    name: info?.name ?? 'server',
    capabilities,
    tools: await listed('tools'),
    resources: [...(await listed('resources')), ...(await listed('templates'))],
    prompts: await listed('prompts'),
  };
  return { offer, failed: by.failed };
}
