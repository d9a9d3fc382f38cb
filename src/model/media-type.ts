/** The media type of a `Content-Type` field without its parameters, in lower case; empty where there is none. */
export function mediaType(field: string | null | undefined): string {
  // What every request and most responses say takes no splitting.
  if (field === 'application/json') return field;
  return (field ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
