/** HTTP redirects, for the client, sign-in and icons. Each of them decides which targets it allows. */
export const MAX_REDIRECTS = 3;

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);
