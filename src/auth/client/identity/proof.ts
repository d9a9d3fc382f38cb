/** A proof of possession (DPoP, RFC 9449), as the flows use it. */
export interface ProofMaker {
  /** The thumbprint of the key, for `dpop_jkt`. */
  thumbprint(): Promise<string>;
  /** The value of the `DPoP` field for one request, with the last nonce that this origin gave, if any. */
  proof(request: { readonly method: string; readonly url: URL; readonly accessToken?: string }): Promise<string>;
  /** Remembers a nonce that an origin gave; true when it is a new one. */
  rememberNonce(url: URL, nonce: string | undefined): boolean;
}
