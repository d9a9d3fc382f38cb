/** A server that cannot verify its caller answers 503, and the client's error names the URL and the status. */
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { createServer } from '../../src/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { everyRevision } from '../support/raw.ts';
import { shortPauses } from '../support/short-pauses.ts';

test.each(everyRevision)('the error for a 503 names the URL and the status, in %s', async (revision) => {
  const auth = (): never => {
    throw new Error('the issuer is down');
  };
  const listener = await serveHttp(createServer({ name: 'quay', version: '1', parts: [] }), { port: 0, auth });
  const failed = connect(listener.url, { revisions: [revision], clock: shortPauses });
  await expect(failed).rejects.toMatchObject({
    code: 'MCP_HTTP_FAILED',
    message: expect.stringMatching(/^(?=.*503)(?=.*127\.0\.0\.1)(?=.*Internal error)/),
  });
  await listener.close();
});
