/** What a server offers, as a client sees it. */
import { connect } from '../../connect/connect.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Servable } from '../../peer/exchange.ts';
import type { Offer } from './wire.ts';

export async function offerOf(server: Servable): Promise<Offer> {
  await using client = await connect(server, { name: 'mooring dev' });
  const { capabilities, info } = client.server;
  const { tools, resources, prompts } = capabilities;
  const listed = async (kind: 'tools' | 'resources' | 'templates' | 'prompts'): Promise<readonly JsonObject[]> =>
    (await client.list(kind).all()).map((item) => ({ ...item }));
  return {
    name: info?.name ?? 'server',
    capabilities,
    tools: tools === undefined ? [] : await listed('tools'),
    resources: resources === undefined ? [] : [...(await listed('resources')), ...(await listed('templates'))],
    prompts: prompts === undefined ? [] : await listed('prompts'),
  };
}
