import type { ProviderAnswer } from '../platform/mail/provider.ts';

/** What became of a mail; `by`: the name of the provider that said so, undefined: none was asked. */
export type Submitted = ProviderAnswer & { readonly by?: string };
