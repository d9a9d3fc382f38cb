/** Names a request for readers, by method and subject. */

/** For example `tools/call refund`: the subject of the notification that cancels the request. */
export const nameOfRequest = ({
  method,
  subject,
}: {
  readonly method: string;
  readonly subject?: string | undefined;
}): string => (subject === undefined ? method : `${method} ${subject}`);
