import type { Route } from '../../api/route.ts';
import { routes } from '../../api/routes/index.ts';

/** Every declared route that asks for a key. */
export const keyedRoutes: readonly Route[] = routes.filter(({ scope }) => scope !== 'public');
export const publicRoutes: readonly Route[] = routes.filter(({ scope }) => scope === 'public');

/** `post /contacts/:id/unsubscribe` */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** The address with its parameters filled in; an id that nobody has, unless told. */
export function pathOf({ path }: Route, values: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? '01990000-0000-7000-8000-000000000000'));
}
