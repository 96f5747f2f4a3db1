import { createHash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Issue } from '../../domain/errors.ts';
import type { CompiledContent } from '../../domain/templates/compiled-content.ts';
import type { OwnContent } from '../../domain/templates/own-content.ts';
import type { Authoring } from './authoring.ts';
import type { ComposeTemplate } from './compose-request.ts';

/** Content that a call brings: a page or a text, or blocks as templates have them, which nobody has checked. */
export type BroughtContent = OwnContent | { readonly blocks: unknown };

/** Content of calls made ready for mails. */
export interface OwnContents {
  /** What renders, or everything that is wrong with it. The same content of a project is compiled once while it is in use. */
  ready(projectId: string, content: BroughtContent): Promise<ComposeTemplate | { readonly issues: readonly Issue[] }>;
  /** The same for content of one mail, which is not kept. */
  readyOnce(projectId: string, content: OwnContent): Promise<ComposeTemplate | { readonly issues: readonly Issue[] }>;
}

const KEPT_BYTES = 32 * 1024 * 1024;

export function createOwnContents(authoring: Pick<Authoring, 'compile' | 'compileOwn'>): OwnContents {
  const known = new LRUCache<string, ComposeTemplate>({ maxSize: KEPT_BYTES });
  /** What many calls ask for at the same time is compiled for the first of them. */
  const underWay = new Map<string, ReturnType<OwnContents['ready']>>();

  const compile = async (projectId: string, id: string, content: BroughtContent): ReturnType<OwnContents['ready']> => {
    const made = await ('blocks' in content ? authoring.compile(content.blocks, projectId) : authoring.compileOwn(content, projectId));
    if ('issues' in made) return made;
    const template: ComposeTemplate = { id, compiled: made.compiled, line: `own ${projectId}` };
    known.set(id, template, { size: sizeOf(made.compiled) });
    return template;
  };

  return {
    ready(projectId, content) {
      const id = idOf(projectId, content);
      const found = known.get(id);
      if (found) return Promise.resolve(found);
      const compiling = underWay.get(id) ?? compile(projectId, id, content).finally(() => underWay.delete(id));
      underWay.set(id, compiling);
      return compiling;
    },
    async readyOnce(projectId, content) {
      const made = await authoring.compileOwn(content, projectId);
      if ('issues' in made) return made;
      return { id: `once ${randomUUID()}`, compiled: made.compiled, line: `own ${projectId}`, isOnce: true };
    },
  };
}

function idOf(projectId: string, content: BroughtContent): string {
  const what = 'blocks' in content ? ['blocks', content.blocks] : ['own', content.html, content.text];
  return `own ${projectId} ${createHash('sha256').update(JSON.stringify(what)).digest('base64')}`;
}

/** Two bytes a character at most. */
function sizeOf({ html, text, writes }: CompiledContent): number {
  return 2 * (html.length + text.length) + 200 * writes.length + 1000;
}
