import { testEnvironment } from './environment.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, otherwise the text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of many shapes and compare what they find
  readonly body: any;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Api {
  get(path: string, options?: CallOptions): Promise<Reply>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  put(path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  delete(path: string, options?: CallOptions): Promise<Reply>;
  /** Any method and any body: text and forms go out as they are. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
}

/** Paths are below /api/v1. Without a key no Authorization header is sent. `baseUrl`: another instance than the shared one. */
export function api(key?: string, baseUrl: string = testEnvironment().apiUrl): Api {
  const call: Api['call'] = async (method, path, body, { headers = {} } = {}) => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };
  return {
    call,
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
    put: (path, body, options) => call('PUT', path, body, options),
    delete: (path, options) => call('DELETE', path, undefined, options),
  };
}
