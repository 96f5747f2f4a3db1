import type { SendType } from './send.ts';
import type { SendDetails } from './send-details.ts';

/** A mail as POST /send is asked for it. */
export interface SendCall {
  /** Unless the call brings its content. */
  readonly template?: string | null | undefined;
  /** Liquid. */
  readonly html?: string | null | undefined;
  /** Liquid. */
  readonly text?: string | null | undefined;
  /** Blocks. */
  readonly content?: unknown;
  /** Unless contactId is given, which takes precedence. */
  readonly to?: string | null | undefined;
  readonly contactId?: string | null | undefined;
  readonly type?: SendType | null | undefined;
  /** BCP 47. */
  readonly locale?: string | null | undefined;
  /** Liquid. */
  readonly subject?: string | null | undefined;
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly brand?: string | null | undefined;
  /** Made of the fields that are kept with the row. */
  readonly details?: SendDetails | undefined;
  readonly from?: { readonly email: string; readonly name?: string | null | undefined } | null | undefined;
}
