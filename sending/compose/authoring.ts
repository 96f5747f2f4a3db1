import type { Issue } from '../../domain/errors.ts';
import type { CompiledContent } from '../../domain/template/compile.ts';
import type { Content } from '../../domain/template/content.ts';

/** Content made ready, or everything that is wrong with it. */
export type Authored = { readonly content: Content; readonly compiled: CompiledContent } | { readonly issues: readonly Issue[] };

/** Reads what tenants write, in a thread of its own that can be ended. */
export interface Authoring {
  compile(value: unknown): Promise<Authored>;
  close(): Promise<void>;
}
