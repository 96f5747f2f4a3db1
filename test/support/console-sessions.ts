import { testEnvironment } from './environment.ts';

/** Of `Set-Cookie`: as a browser sends it back. */
export function cookieOf(headers: Headers): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered
  readonly body: any;
}

/** A call below /console, as it is: no header but those that are said. */
export async function askConsole(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
  url: string = testEnvironment().apiUrl,
): Promise<Told> {
  const response = await fetch(`${url}/console${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Somebody at the console, without a browser. */
export interface Seat {
  readonly id: string;
  readonly cookie: string;
  /** As the page calls: with the cookie, and the session's name. */
  ask(method: string, path: string, body?: unknown): Promise<Told>;
}

/** Signs in. `cookie`: what the browser has from before. Throws when the key is refused. */
export async function signInToConsole(key: string, cookie = ''): Promise<Seat> {
  const told = await askConsole('POST', '/session', { authorization: `Bearer ${key}`, ...(cookie ? { cookie } : {}) });
  if (told.status !== 201) throw new Error(`signing in was answered ${told.status}: ${JSON.stringify(told.body)}`);
  const { id } = told.body.session;
  const own = cookieOf(told.headers);
  return { id, cookie: own, ask: (method, path, body) => askConsole(method, path, { cookie: own, 'everpost-session': id }, body) };
}
