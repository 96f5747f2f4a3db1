import {
  AssertionError,
  CaptureTag,
  type Context,
  type Emitter,
  type Liquid,
  Tag,
  type TagToken,
  type Template,
  type TopLevelToken,
} from 'liquidjs';
import { escapeHtml } from './escape.ts';
import { readPath } from './quick-output.ts';
import { safeUrl } from './safe-url.ts';
import { textOf } from './value-text.ts';

const PLAIN = 'plain';
const BUDGET = 'budget';

/** How much one rendering may write, whatever it captures on the way. */
export function limitCharacters(context: Context, characters: number): void {
  context.setRegister(BUDGET, { left: characters, limit: characters });
}

/** Whether values are written as they are just now: what is being written gets its escaping as a whole afterwards. */
export function isPlain(context: Context): boolean {
  return context.getRegister<boolean>(PLAIN) === true;
}

/** Collects output; all the collectors of one rendering draw on its one budget. */
export class BoundedEmitter implements Emitter {
  buffer = '';
  readonly #budget: { left: number; readonly limit: number };

  constructor(context: Context) {
    this.#budget = context.getRegister(BUDGET);
  }

  write(value: unknown): void {
    const text = textOf(value);
    this.#budget.left -= text.length;
    if (this.#budget.left < 0) throw new AssertionError(`the mail is longer than ${this.#budget.limit} characters`);
    this.buffer += text;
  }
}

function* renderPlain(tag: Tag, templates: Template[], context: Context): Generator<unknown, string> {
  const before = isPlain(context);
  context.setRegister(PLAIN, true);
  const emitter = new BoundedEmitter(context);
  yield tag.liquid.renderer.renderTemplates(templates, context, emitter);
  context.setRegister(PLAIN, before);
  return emitter.buffer;
}

/** `{% capture %}` keeps plain text, so that writing it out escapes it once, not twice. */
export class PlainCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const captured = yield renderPlain(this, this.templates, context);
    (context.bottom() as Record<string, unknown>)[this.variable] = captured;
  }
}

/** A tag with an end, of those that compiled content is made of. */
abstract class EnclosingTag extends Tag {
  protected readonly templates: Template[] = [];

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: ConstructorParameters<typeof CaptureTag>[3]) {
    super(token, rest, liquid);
    for (let next = rest.shift(); next; next = rest.shift()) {
      if ((next as TagToken).name === `end${token.name}`) return;
      this.templates.push(parser.parseToken(next, rest));
    }
    throw new Error(`tag ${token.getText()} not closed`);
  }
}

/** `{% url %}…{% endurl %}` writes an address that was checked after rendering. */
export class UrlTag extends EnclosingTag {
  /** The address as it is; empty when it is not one that a mail may hold. */
  *read(context: Context): Generator<unknown, string, string> {
    return safeUrl(yield renderPlain(this, this.templates, context));
  }

  override *render(context: Context, emitter: Emitter): Generator<unknown, void, string> {
    const url = yield this.read(context);
    emitter.write(context.opts.outputEscape && !isPlain(context) ? escapeHtml(url) : url);
  }
}

/** Stands between what `linked` writes with an address and what it writes without. */
export class UnlinkedTag extends Tag {
  override *render(): Generator<unknown, void> {}
}

/**
 * `{% linked %}{% url %}…{% endurl %}…{% unlinked %}…{% endlinked %}` writes what follows the address, or, when the address is empty, what
 * follows `unlinked`: nothing where there is none.
 */
export class LinkedTag extends EnclosingTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, string> {
    const [url, ...rest] = this.templates;
    const otherwise = rest.findIndex((template) => template instanceof UnlinkedTag);
    const end = otherwise < 0 ? rest.length : otherwise;
    const isLinked = url instanceof UrlTag && (yield url.read(context)) !== '';
    yield this.liquid.renderer.renderTemplates(isLinked ? rest.slice(0, end) : rest.slice(end), context, emitter);
  }
}

/** `{% shown path %}…{% endshown %}` writes its content when the path has a value: not missing, null, false, blank or empty. */
export class ShownTag extends EnclosingTag {
  readonly #read: (context: Context) => unknown;

  constructor(...parameters: ConstructorParameters<typeof EnclosingTag>) {
    super(...parameters);
    this.#read = readDataPath(parameters[0].args.trim());
  }

  override *render(context: Context, emitter: Emitter): Generator<unknown, void> {
    if (hasValue(this.#read(context))) yield this.liquid.renderer.renderTemplates(this.templates, context, emitter);
  }
}

function readDataPath(path: string): (context: Context) => unknown {
  const names = path.split(/[.[\]]+/).filter(Boolean);
  return readPath(names.map((name) => (/^\d+$/.test(name) ? Number(name) : name)));
}

/** Whether a block with this `showIf` is shown. */
export function isShown(path: string, context: Context): boolean {
  return hasValue(readDataPath(path)(context));
}

function hasValue(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/**
 * `{% content %}…{% endcontent %}` is what an author wrote, apart from the layout: names assigned inside end here, and a
 * `{% break %}` skips the rest of the content, never the footer with the unsubscribe link.
 */
export class ContentTag extends EnclosingTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void> {
    yield this.liquid.renderer.renderTemplates(this.templates, context, emitter);
    context.breakCalled = false;
    context.continueCalled = false;
    const assigned = context.bottom() as Record<string, unknown>;
    for (const name of Object.keys(assigned)) delete assigned[name];
  }
}
