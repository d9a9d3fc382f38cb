/** Error numbers that the protocol defines beside those of JSON-RPC. */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

/** Only a peer that knows requests without a handshake answers with one of these. */
export const statelessCodes: ReadonlySet<number> = new Set([HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION]);
