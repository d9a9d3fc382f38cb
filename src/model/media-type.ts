/** The media type of a `Content-Type` header without its parameters, in lower case; empty if there is none. */
export function mediaType(field: string | null | undefined): string {
  // Fast path: the type of every request and most responses.
  if (field === 'application/json') return field;
  return (field ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
