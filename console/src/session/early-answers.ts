import type { QueryClient } from '@tanstack/react-query';
import { createQueryClient } from '../api/query-client.ts';
import { sessionId } from './standing.ts';

let early: { readonly session: string; readonly queries: QueryClient } | undefined;

/** Where what the address names may be read into while it is still asked what the session may do. undefined when nobody is signed in. */
export function openEarlyAnswers(): QueryClient | undefined {
  const session = sessionId();
  if (session === undefined) return undefined;
  early = { session, queries: createQueryClient() };
  return early.queries;
}

/** What was read by this very session meanwhile, once; else nothing yet. */
export function takeEarlyAnswers(): QueryClient {
  const taken = early?.session === sessionId() ? early?.queries : undefined;
  early = undefined;
  return taken ?? createQueryClient();
}
