import * as z from 'zod';
import * as examples from '../../examples/operations-examples.ts';
import { openapiDocument } from '../../openapi.ts';
import { Answer, defineRoute, type Route } from '../../route.ts';
import { version } from '../../version.ts';

/** The description of `routes` and of itself; made when first asked for, then kept. */
export function describeRoutes(routes: readonly Route[]): Route {
  let document: string | undefined;
  const describing: Route = defineRoute({
    method: 'get',
    path: '/openapi.json',
    scope: 'public',
    summary: 'This description, as OpenAPI 3.1',
    status: 200,
    answersAs: 'application/json',
    reply: z.looseObject({ openapi: z.string().meta({ description: 'The version of OpenAPI' }) }),
    examples: examples.openapi,
    async handle() {
      document ??= JSON.stringify(openapiDocument([...routes, describing], { version }));
      return new Answer(200, document, { 'Content-Type': 'application/json' });
    },
  });
  return describing;
}
