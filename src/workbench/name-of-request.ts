/** A request in words. */

/** A request as the subject of another message, such as the one that cancels it. */
export const nameOfRequest = ({
  method,
  subject,
}: {
  readonly method: string;
  readonly subject?: string | undefined;
}): string => (subject === undefined ? method : `${method} ${subject}`);
