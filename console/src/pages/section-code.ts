import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { createStore, type Store } from '../api/store.ts';

/** What the file of a section exports. */
export interface SectionModule {
  /** The routes of the section, relative to its path. */
  readonly default: ComponentType;
  /** Starts to read what the first page of the section shows, before it is shown. */
  readonly prefetch?: (queries: QueryClient) => void;
}

export type SectionCode<Module = SectionModule> =
  | { readonly state: 'waiting' }
  | { readonly state: 'loaded'; readonly module: Module }
  | { readonly state: 'failed'; readonly error: unknown };

/** The code of a section, which is loaded when it is needed, or before. */
export interface LoadedLater<Module = SectionModule> {
  readonly code: Store<SectionCode<Module>>;
  /** Starts to load it, unless that is done. Never throws. */
  load(): Promise<void>;
}

/**
 * Code that has been loaded is there at once, without a Suspense boundary: React shows what replaces a fallback 300 ms after the fallback at the
 * earliest.
 */
export function loadedLater<Module extends SectionModule>(importModule: () => Promise<Module>): LoadedLater<Module> {
  const code = createStore<SectionCode<Module>>({ state: 'waiting' });
  let loading: Promise<void> | undefined;
  return {
    code,
    load() {
      loading ??= importModule().then(
        (module) => code.set({ state: 'loaded', module }),
        (error: unknown) => {
          loading = undefined;
          code.set({ state: 'failed', error });
        },
      );
      return loading;
    },
  };
}
