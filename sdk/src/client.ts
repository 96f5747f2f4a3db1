import { type Call, caller, type Operation } from './call.js';
import { type EverpostError, isEverpostError } from './errors.js';
import { OPERATIONS, type OperationName, type Operations } from './generated/operations.js';
import type { ClientOptions, KeyedCallOptions } from './options.js';
import { type Paging, pagesOf } from './pages.js';
import type { TypedTemplates } from './typed-templates.js';

/** An answer or an error, whichever there is. */
export type Result<T> = { readonly data: T; readonly error: null } | { readonly data: null; readonly error: EverpostError };

/** The same operations, which give errors back in place of throwing them. */
export type SafeOperations<T = Operations> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => PromiseLike<infer R>
    ? (...args: A) => Promise<Result<R>>
    : SafeOperations<T[K]>;
};

/** Everpost, by one project's key. Each operation of the API is a method of its group: `everpost.contacts.list()`. */
export interface Everpost extends Omit<Operations, 'templates'> {
  readonly templates: Operations['templates'] & {
    /** The same client with the data of your templates as types, which `npx everpost types` writes. */
    typed<Templates>(): TypedTemplates<Templates>;
  };
  /** `const { data, error } = await everpost.safe.send(…)` */
  readonly safe: SafeOperations;
}

type Method = (...args: unknown[]) => Promise<unknown>;
type Group = Record<string, Method>;

class Client {
  readonly safe: Record<string, Group | Method> = {};

  constructor(options: ClientOptions = {}) {
    const call = caller(options);
    const groups = this as unknown as Record<string, Group | Method>;
    for (const [operation, paging] of TABLE) {
      const method = methodOf(operation, paging, call);
      const [group, name] = operation.name.split('.') as [string, string?];
      put(groups, group, name, method);
      put(this.safe, group, name, safely(method));
    }
    const sends = ({ send, sendBatch }: Record<string, Group | Method>) => ({ send, sendBatch });
    (groups.templates as Record<string, unknown>).typed = () => ({ ...sends(groups), safe: sends(this.safe) });
  }
}

function put(groups: Record<string, Group | Method>, group: string, name: string | undefined, method: Method): void {
  if (name === undefined) groups[group] = method;
  else groups[group] = Object.assign(groups[group] ?? {}, { [name]: method }) as Group;
}

/** A client: `new Everpost()`, with the key of EVERPOST_API_KEY, or `new Everpost({ apiKey, url })`. */
export const Everpost = Client as unknown as new (options?: ClientOptions) => Everpost;

/** Parameters of the path in their order, then the body, the query and the options, of these what the operation has. */
function methodOf(operation: Operation, paging: Paging | undefined, call: ReturnType<typeof caller>): Method {
  const parameters = operation.path.split('{').length - 1;
  return (...args) => {
    let at = parameters;
    const body = operation.body ? args[at++] : undefined;
    const query = (operation.query.length > 0 ? args[at++] : undefined) as Call['query'];
    const options = args[at] as KeyedCallOptions | undefined;
    const path = args.slice(0, parameters) as (string | number)[];
    const load = (asked: Call['query']) =>
      call(operation, { path, body, query: asked, options }) as Promise<Readonly<Record<string, unknown>>>;
    const first = load(query);
    return paging ? pagesOf(first, query ?? {}, paging, load) : first;
  };
}

function safely(method: Method): Method {
  return async (...args) => {
    try {
      return { data: await method(...args), error: null };
    } catch (error) {
      if (isEverpostError(error)) return { data: null, error };
      throw error;
    }
  };
}

/** The table as the document gives it, a line for each operation: its name, method, path, what it is (a letter each), the names of its query, and its list. */
const TABLE: readonly (readonly [Operation, Paging | undefined])[] = OPERATIONS.split('\n').map((line) => {
  const [name = '', method = '', path = '', is = '', query = '-', items] = line.split(' ');
  const operation: Operation = {
    name: name as OperationName,
    method,
    path,
    body: is.includes('j') ? 'json' : is.includes('f') ? 'form' : is.includes('t') ? 'text' : undefined,
    query: query === '-' ? [] : query.split(','),
    takesKey: is.includes('k'),
    isRepeatable: is.includes('s'),
    isRaw: is.includes('r'),
    saysOk: !is.includes('o'),
    isPublic: is.includes('p'),
  };
  return [operation, items ? { items, by: is.includes('b') ? 'before' : 'cursor' } : undefined];
});
