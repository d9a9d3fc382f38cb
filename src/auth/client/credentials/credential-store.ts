/** Where credentials are kept between runs. A keychain is three functions. */
export interface CredentialStore {
  read(key: string): Promise<string | undefined>;
  write(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
}
