/** What stands behind the three marks that open a block of code: the language, and what the block is. */
export interface Fence {
  readonly language: string;
  /** Shown above the block: a file's name, a request like `PUT /sequences/trial`, or a way to call like `curl`. */
  readonly title: string;
  /** Why no test runs the block; never shown. */
  readonly notRun: string | undefined;
}

const NOT_RUN = /(?:^|\s)not run because (.+)$/;

/** Reads ```` ```js receiver.mjs not run because … ````. */
export function parseFence(info: string): Fence {
  const [, language = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(info.trim()) ?? [];
  return { language, title: rest.replace(NOT_RUN, ''), notRun: NOT_RUN.exec(rest)?.[1] };
}
