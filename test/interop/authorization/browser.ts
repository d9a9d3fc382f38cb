/** A browser without a screen: it follows redirects, keeps cookies, and stops where a native program waits for it. */
export class Browser {
  readonly #cookies: Map<string, string> = new Map();
  /** Where it was sent, hop by hop, in all visits. */
  readonly visited: string[] = [];

  /** The first address that belongs to somebody else than `from`, which it does not open. */
  async until(from: string, redirectUri: string): Promise<URL> {
    let url = new URL(from);
    for (let hops = 0; hops < 10; hops++) {
      this.visited.push(url.href);
      const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
      this.#keep(response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${url.href} leads nowhere: ${response.status} ${await response.text()}`);
      url = new URL(location, url);
      if (url.href.startsWith(redirectUri)) return url;
    }
    throw new Error('The way back was not found within ten hops');
  }

  /** Opens an authorization request and brings the answer to whoever listens at its redirect URI. */
  readonly open = async (from: string): Promise<void> => {
    const back = await this.until(from, new URL(from).searchParams.get('redirect_uri') ?? '');
    const page = await fetch(back);
    if (!page.ok) throw new Error(`the program that was waited for says ${page.status}`);
  };

  #keep(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [pair = ''] = cookie.split(';');
      const [name = '', ...value] = pair.split('=');
      if (value.join('=') === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value.join('='));
    }
  }
}
