/** Validates names and values of HTTP headers (RFC 9110). */

const name = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

export const isHeaderName = (text: string): boolean => name.test(text);
export const isHeaderValue = (text: string): boolean => value.test(text);
