import type Koa from 'koa';
import { Refusal } from '../domain/errors.ts';
import { nearestName } from '../domain/nearest-name.ts';
import type { Route } from './route.ts';

/** A longer path is not looked at, and not told in full. */
const MAX_PATH = 200;

/** A 405 that says which methods would do. */
export function methodNotAllowed(method: string, allowed: readonly string[]): Refusal {
  const message = `${method} is not possible here; possible: ${allowed.join(', ')}`;
  return new Refusal('method_not_allowed', message, { headers: { Allow: allowed.join(', ') } });
}

/** A path that a route names in full is no other's with an id in that place: PATCH /segments/preview changes no segment "preview". */
export function refuseOtherMethods(all: readonly Route[], prefix: string): Koa.Middleware {
  const named = all.filter(({ path }) => !path.includes(':'));
  const methodsOf = new Map(
    Array.from(
      Map.groupBy(named, ({ path }) => prefix + path),
      ([path, routes]) => [path, possible(routes.map(({ method }) => method.toUpperCase()))],
    ),
  );
  return async (ctx, next) => {
    const methods = methodsOf.get(ctx.path);
    if (methods && !methods.includes(ctx.method)) throw methodNotAllowed(ctx.method, methods);
    await next();
  };
}

/** HEAD works where GET does. */
function possible(methods: readonly string[]): readonly string[] {
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

/** docs/contract/http.md 8: an unknown path is 404; a known one with another method is 405 and says which would do. */
export function refuseUnrouted(all: readonly Route[], prefix: string): Koa.Middleware {
  const patterns = all.map((route) => ({
    method: route.method.toUpperCase(),
    pattern: new RegExp(`^${prefix}${route.path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
  }));
  return (ctx) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(ctx.path)).map(({ method }) => method);
    if (methods.length === 0) throw new Refusal('not_found', noRoute(ctx.method, ctx.path, all, prefix));
    throw methodNotAllowed(ctx.method, possible(methods));
  };
}

function noRoute(method: string, path: string, all: readonly Route[], prefix: string): string {
  if (path.length > MAX_PATH) return `no route ${method} ${path.slice(0, MAX_PATH)}…`;
  const near = all.filter((route) => isNear(route.path, path, prefix));
  const meant = near.find((route) => route.method === method.toLowerCase()) ?? near[0];
  return `no route ${method} ${path}; ${meant ? `did you mean ${prefix}${meant.path}?` : '/docs shows them all'}`;
}

/** Whether the path may be meant for this route: without the prefix or a part of it, with another slash, or with a typo. */
function isNear(pattern: string, path: string, prefix: string): boolean {
  const prefixParts = partsOf(prefix);
  const given = partsOf(path);
  while (given[0] !== undefined && prefixParts.includes(given[0].toLowerCase())) given.shift();
  const parts = partsOf(pattern);
  return parts.length === given.length && parts.every((part, index) => part.startsWith(':') || nearestName(given[index] as string, [part]));
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
