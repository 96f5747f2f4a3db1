import type { QueryClient } from '@tanstack/react-query';
import { createQueryClient } from '../api/query-client.ts';
import { apiKey } from './key.ts';

let early: { readonly key: string; readonly queries: QueryClient } | undefined;

/** Where what the address names may be read into while the key of the tab is still being checked. undefined when there is no key. */
export function openEarlyAnswers(): QueryClient | undefined {
  const key = apiKey.get();
  if (!key) return undefined;
  early = { key, queries: createQueryClient() };
  return early.queries;
}

/** What was read with this very key meanwhile, once; else nothing yet. */
export function takeEarlyAnswers(): QueryClient {
  const taken = early?.key === apiKey.get() ? early?.queries : undefined;
  early = undefined;
  return taken ?? createQueryClient();
}
