import { CaptureTag, type Context, type Liquid, Tag, type TagToken, type Template, type TopLevelToken } from 'liquidjs';
import { readPath, runTemplates } from './direct-output.ts';
import { escapeFixed, escapeHtml, unescapeHtml } from './escape.ts';
import type { MailEmitter } from './fixed-text.ts';
import { FixedText } from './fixed-text.ts';
import { type MailContext, TextEmitter } from './mail-context.ts';
import { safeImageUrl, safeUrl, settlesScheme } from './safe-url.ts';

function renderPlain(templates: readonly Template[], context: MailContext): string {
  const before = context.isPlain;
  context.isPlain = true;
  const emitter = new TextEmitter(context);
  runTemplates(templates, context, emitter);
  context.isPlain = before;
  return emitter.buffer;
}

function renderEscaped(templates: readonly Template[], context: MailContext): string {
  const emitter = new TextEmitter(context);
  runTemplates(templates, context, emitter);
  return emitter.buffer;
}

/** `{% capture %}` keeps plain text, so that writing it out escapes it once, not twice. */
export class PlainCapture extends CaptureTag {
  run(context: MailContext): void {
    (context.bottom() as Record<string, unknown>)[this.variable] = renderPlain(this.templates, context);
  }

  // biome-ignore lint/correctness/useYield: liquidjs calls for a generator
  override *render(context: Context): Generator<unknown, void, string> {
    this.run(context as MailContext);
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

  abstract run(context: MailContext, emitter: MailEmitter): void;

  override render(context: Context, emitter: unknown): void {
    this.run(context as MailContext, emitter as MailEmitter);
  }
}

/** `{% url %}…{% endurl %}` writes an address that was checked after rendering. */
export class UrlTag extends EnclosingTag {
  /** An address without Liquid, checked once. */
  protected readonly fixed = this.templates.every((template) => template instanceof FixedText)
    ? safeUrl(this.templates.map(({ text }) => text).join(''))
    : undefined;

  /** The address as it is; empty when it is not one that a mail may hold. */
  read(context: MailContext): string {
    return this.fixed ?? safeUrl(renderPlain(this.templates, context));
  }

  override run(context: MailContext, emitter: MailEmitter): void {
    const url = this.read(context);
    emitter.write(context.opts.outputEscape && !context.isPlain ? escapeHtml(url) : url);
  }
}

/** `{% picture %}…{% endpicture %}` is the same of a picture, which may be a file of the mail. */
export class PictureTag extends UrlTag {
  override read(context: MailContext): string {
    return safeImageUrl(renderPlain(this.templates, context));
  }
}

/** `{% link %}…{% endlink %}` writes the address of a link that may be counted: led through us where the mail has counted links. */
export class LinkTag extends UrlTag {
  readonly #plain = this.fixed === undefined ? undefined : new FixedText(this.token, escapeFixed(this.fixed));

  override run(context: MailContext, emitter: MailEmitter): void {
    const url = this.read(context);
    const counted = context.links?.counted(url);
    if (counted !== undefined) emitter.write(counted);
    else if (this.#plain) emitter.writeFixed(this.#plain);
    else emitter.write(escapeHtml(url));
  }
}

/** The address at which a reader unsubscribes, whatever names the author has assigned; empty in transactional mail. */
function unsubscribeUrlOf(context: MailContext): string {
  return String((context.environments as { readonly unsubscribeUrl?: unknown }).unsubscribeUrl ?? '');
}

/**
 * `{% href %}…{% endhref %}` writes the address of a link in a page that its author wrote whole: as it stands there, or led through us where the
 * mail has counted links. One whose scheme data could give is written only when it is an address that a mail may hold.
 */
export class HrefTag extends UrlTag {
  readonly #isData = this.fixed === undefined && !settlesScheme(this.#beginning());

  override read(context: MailContext): string {
    return this.#addressIn(renderEscaped(this.templates, context), context);
  }

  override run(context: MailContext, emitter: MailEmitter): void {
    const written = renderEscaped(this.templates, context);
    const url = this.#addressIn(written, context);
    const unsubscribe = unsubscribeUrlOf(context);
    if (unsubscribe !== '' && url.includes(unsubscribe)) context.hasUnsubscribeLink = true;
    const counted = context.links?.counted(url);
    if (counted !== undefined) emitter.write(counted);
    else if (url !== '') emitter.write(context.opts.outputEscape ? written : url);
    else if (!this.#isData) emitter.write(written);
  }

  /** Before its first Liquid. */
  #beginning(): string {
    const end = this.templates.findIndex((template) => !(template instanceof FixedText));
    return this.templates
      .slice(0, end)
      .map((template) => (template as FixedText).text)
      .join('');
  }

  #addressIn(written: string, context: MailContext): string {
    return safeUrl(context.opts.outputEscape ? unescapeHtml(written) : written);
  }
}

/** `{% leaving %}…{% endleaving %}` writes text that may hold the unsubscribe link. */
export class LeavingTag extends EnclosingTag {
  override run(context: MailContext, emitter: MailEmitter): void {
    const text = renderEscaped(this.templates, context);
    const unsubscribe = unsubscribeUrlOf(context);
    if (unsubscribe !== '' && text.includes(unsubscribe)) context.hasUnsubscribeLink = true;
    emitter.write(text);
  }
}

/** `{% unsubscribe %}…{% endunsubscribe %}` writes its content in a marketing mail that has had no link to unsubscribe so far. */
export class UnsubscribeTag extends EnclosingTag {
  override run(context: MailContext, emitter: MailEmitter): void {
    if (unsubscribeUrlOf(context) !== '' && !context.hasUnsubscribeLink) runTemplates(this.templates, context, emitter);
  }
}

/** `{% pixel %}` counts an open, in a mail with counted links. */
export class PixelTag extends Tag {
  run(context: MailContext, emitter: MailEmitter): void {
    if (context.links) emitter.write(context.links.pixel);
  }

  override render(context: Context, emitter: unknown): void {
    this.run(context as MailContext, emitter as MailEmitter);
  }
}

/** Stands between what `linked` writes with an address and what it writes without. */
export class UnlinkedTag extends Tag {
  run(): void {}

  override render(): void {}
}

/**
 * `{% linked %}{% url %}…{% endurl %}…{% unlinked %}…{% endlinked %}` writes what follows the address, or, when the address is empty, what
 * follows `unlinked`: nothing where there is none.
 */
export class LinkedTag extends EnclosingTag {
  readonly #otherwise = this.templates.findIndex((template) => template instanceof UnlinkedTag);
  readonly #linked = this.templates.slice(1, this.#otherwise < 0 ? undefined : this.#otherwise);
  readonly #unlinked = this.#otherwise < 0 ? [] : this.templates.slice(this.#otherwise + 1);

  override run(context: MailContext, emitter: MailEmitter): void {
    const [url] = this.templates;
    const isLinked = url instanceof UrlTag && url.read(context) !== '';
    runTemplates(isLinked ? this.#linked : this.#unlinked, context, emitter);
  }
}

/** Stands between what `headed` looks at and what it writes. */
export class HeadTag extends UnlinkedTag {}

/** `{% headed %}…{% head %}…{% endheaded %}` writes what follows `head` unless what stands before it comes out blank. */
export class HeadedTag extends EnclosingTag {
  readonly #at = this.templates.findIndex((template) => template instanceof HeadTag);
  readonly #content = this.templates.slice(0, this.#at);
  readonly #head = this.templates.slice(this.#at + 1);

  override run(context: MailContext, emitter: MailEmitter): void {
    if (renderPlain(this.#content, context).trim() !== '') runTemplates(this.#head, context, emitter);
  }
}

/** Columns of a letter in plain text. */
const MAX_UNDERLINE = 72;
/** Characters that are as wide as two. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60\p{Emoji_Presentation}]/u;

/** `{% underlined = %}…{% endunderlined %}` writes text with a line of that character beneath, as long as its longest line; blank text without. */
export class UnderlinedTag extends EnclosingTag {
  readonly #line: string;

  constructor(...parameters: ConstructorParameters<typeof EnclosingTag>) {
    super(...parameters);
    this.#line = parameters[0].args.trim();
  }

  override run(context: MailContext, emitter: MailEmitter): void {
    const text = renderPlain(this.templates, context).trim();
    if (text === '') return;
    const width = Math.max(...text.split('\n').map(columnsOf));
    emitter.write(`${text}\n${this.#line.repeat(Math.min(width, MAX_UNDERLINE))}`);
  }
}

const ASCII = /^[\0-\x7f]*$/;

/** How many columns a line takes; more than a screen has are not counted. */
function columnsOf(line: string): number {
  if (ASCII.test(line)) return Math.min(line.length, 2 * MAX_UNDERLINE);
  return Array.from(line.slice(0, 2 * MAX_UNDERLINE)).reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** `{% shown path %}…{% endshown %}` writes its content when the path has a value: not missing, null, false, blank or empty. */
export class ShownTag extends EnclosingTag {
  readonly #isShown: (context: Context) => boolean;

  constructor(...parameters: ConstructorParameters<typeof EnclosingTag>) {
    super(...parameters);
    this.#isShown = shownBy(parameters[0].args.trim());
  }

  override run(context: MailContext, emitter: MailEmitter): void {
    if (this.#isShown(context)) runTemplates(this.templates, context, emitter);
  }
}

/** Whether a block with this `showIf` is shown. */
export function shownBy(path: string): (context: Context) => boolean {
  const names = path.split(/[.[\]]+/).filter(Boolean);
  const read = readPath(names.map((name) => (/^\d+$/.test(name) ? Number(name) : name)));
  return (context) => hasValue(read(context));
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
  override run(context: MailContext, emitter: MailEmitter): void {
    runTemplates(this.templates, context, emitter);
    context.breakCalled = false;
    context.continueCalled = false;
    const assigned = context.bottom() as Record<string, unknown>;
    for (const name of Object.keys(assigned)) delete assigned[name];
  }
}
