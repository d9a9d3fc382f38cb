/** Redirects of HTTP, for everything here that follows them: the client, sign-in and icons. Where they may lead is for each to say. */
export const MAX_REDIRECTS = 3;

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);
