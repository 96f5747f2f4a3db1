import { LRUCache } from 'lru-cache';
import { type CompiledContent, isCurrent } from '../../domain/templates/compiled-content.ts';
import type { Authoring } from './authoring.ts';
import type { ComposeTemplate } from './compose-request.ts';
import type { SharedTemplate } from './packed-batch.ts';

/** Templates in the form in which threads read them, the least recently used forgotten first. */
export interface TemplateStore {
  /** Makes them ready; answers with the ids of those that cannot be, and why. */
  prepare(templates: readonly ComposeTemplate[]): Promise<ReadonlyMap<string, string>>;
  /** One that was made ready. */
  get(template: ComposeTemplate): SharedTemplate;
}

const CACHE_BYTES = 32 * 1024 * 1024;

export function createTemplateStore(authoring: Pick<Authoring, 'compile'>): TemplateStore {
  const known = new LRUCache<string, SharedTemplate>({ maxSize: CACHE_BYTES });
  /** What is being compiled again just now, the little that was and does not fit into the cache, and what is of one mail alone. */
  const recompiled = new WeakMap<ComposeTemplate, SharedTemplate>();
  const underWay = new Map<string, Promise<CompiledContent | string>>();

  const keep = (template: ComposeTemplate, compiled: CompiledContent): SharedTemplate => {
    const { id, isOnce = false } = template;
    const shared = { id, isOnce, json: inSharedMemory(compiled) };
    if (isOnce) recompiled.set(template, shared);
    else known.set(id, shared, { size: shared.json.byteLength + 2 * id.length });
    return shared;
  };

  const compileAgain = ({ id, content, compiled }: StoredTemplate): Promise<CompiledContent | string> => {
    const compiling =
      underWay.get(id) ??
      authoring
        .compile(content, undefined, compiled.locale)
        .then((made) => ('issues' in made ? made.issues.map(({ message }) => message).join('; ') : made.compiled))
        .finally(() => underWay.delete(id));
    underWay.set(id, compiling);
    return compiling;
  };

  return {
    async prepare(templates) {
      const faults = new Map<string, string>();
      let last: ComposeTemplate | undefined;
      for (const template of templates) {
        if (template === last || isCurrent(template.compiled) || !isStored(template)) continue;
        last = template;
        const shared = known.get(template.id);
        const made = shared ?? (faults.has(template.id) ? undefined : await compileAgain(template));
        if (typeof made === 'string') faults.set(template.id, made);
        else if (made) recompiled.set(template, 'json' in made ? made : keep(template, made));
      }
      return faults;
    },
    get: (template) => known.get(template.id) ?? recompiled.get(template) ?? keep(template, template.compiled),
  };
}

type StoredTemplate = ComposeTemplate & Required<Pick<ComposeTemplate, 'content'>>;

function isStored(template: ComposeTemplate): template is StoredTemplate {
  return template.content !== undefined;
}

function inSharedMemory(compiled: CompiledContent): SharedArrayBuffer {
  const json = Buffer.from(JSON.stringify(compiled));
  const shared = new SharedArrayBuffer(json.length);
  new Uint8Array(shared).set(json);
  return shared;
}
