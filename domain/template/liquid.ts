import {
  AssertionError,
  CaptureTag,
  Context,
  type Emitter,
  Liquid,
  LiquidError,
  Tag,
  type TagToken,
  type Template,
  Tokenizer,
  type TopLevelToken,
  toValueSync,
} from 'liquidjs';
import { brandColor, inkOn } from './colors.ts';
import { escapeHtml } from './escape.ts';
import { safeUrl } from './safe-url.ts';

/** Limits of one rendered part: enough for any mail, small enough that no template can hold up the process. */
export const RENDER_LIMITS = { characters: 1_000_000, milliseconds: 500, memory: 5_000_000 } as const;
const PARSE_LIMIT = 4_000_000;

/** While it is set, values are written as they are: what is being written gets its escaping as a whole afterwards. */
const PLAIN = 'plain';
const BUDGET = 'budget';

/** Collects output; all the collectors of one rendering draw on one budget of characters. */
class BoundedEmitter implements Emitter {
  buffer = '';
  readonly #budget: { left: number };

  constructor(budget: { left: number }) {
    this.#budget = budget;
  }

  write(value: unknown): void {
    const text = textOf(value);
    this.#budget.left -= text.length;
    if (this.#budget.left < 0) throw new AssertionError(`the mail is longer than ${RENDER_LIMITS.characters} characters`);
    this.buffer += text;
  }
}

function* renderPlain(tag: Tag, templates: Template[], context: Context): Generator<unknown, string> {
  const before = context.getRegister<boolean>(PLAIN);
  context.setRegister(PLAIN, true);
  const emitter = new BoundedEmitter(context.getRegister(BUDGET));
  yield tag.liquid.renderer.renderTemplates(templates, context, emitter);
  context.setRegister(PLAIN, before);
  return emitter.buffer;
}

/** `{% capture %}` keeps plain text, so that writing it out escapes it once, not twice. */
class PlainCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const captured = yield renderPlain(this, this.templates, context);
    (context.bottom() as Record<string, unknown>)[this.variable] = captured;
  }
}

/** `{% url %}…{% endurl %}` writes an address that was checked after rendering; compiled content puts it round every one. */
class UrlTag extends Tag {
  readonly #templates: Template[] = [];

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: ConstructorParameters<typeof CaptureTag>[3]) {
    super(token, rest, liquid);
    for (let next = rest.shift(); next; next = rest.shift()) {
      if ((next as TagToken).name === 'endurl') return;
      this.#templates.push(parser.parseToken(next, rest));
    }
    throw new Error(`tag ${token.getText()} not closed`);
  }

  override *render(context: Context, emitter: Emitter): Generator<unknown, void, string> {
    const url = safeUrl(yield renderPlain(this, this.#templates, context));
    emitter.write(context.opts.outputEscape && !context.getRegister(PLAIN) ? escapeHtml(url) : url);
  }
}

/** Tags that would read files or write HTML of their own. */
const REMOVED_TAGS = ['include', 'render', 'layout', 'block', 'tablerow'];
/** Filters that write HTML, that get round escaping, or that run text as an expression. */
const REMOVED_FILTERS = [
  ...['raw', 'newline_to_br', 'where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_index_exp', 'find_exp'],
  ...['sample', 'sha256', 'hmac_sha256', 'inspect'],
];
/** Everything is escaped in the end, so these leave the value as it is; templates moved from elsewhere still use them. */
const ESCAPING_FILTERS = ['escape', 'escape_once', 'xml_escape'];

function createEngine(output: 'html' | 'text'): Liquid {
  const liquid = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    timezoneOffset: 0,
    locale: 'en-US',
    parseLimit: PARSE_LIMIT,
    renderLimit: RENDER_LIMITS.milliseconds,
    memoryLimit: RENDER_LIMITS.memory,
    ...(output === 'html' && { outputEscape: escapeOutput }),
  });
  for (const name of REMOVED_TAGS) delete liquid.tags[name];
  for (const name of REMOVED_FILTERS) liquid.unregisterFilter(name);
  for (const name of ESCAPING_FILTERS) liquid.registerFilter(name, textOf);
  liquid.registerFilter('brand_color', brandColor);
  liquid.registerFilter('ink_on', inkOn);
  liquid.registerTag('capture', PlainCapture);
  liquid.registerTag('url', UrlTag);
  return liquid;
}

function escapeOutput(this: { readonly context: Context }, value: unknown): string {
  const text = textOf(value);
  return this.context.getRegister(PLAIN) ? text : escapeHtml(text);
}

/** How a value reads in a mail: nothing for null, the members of an array one after the other, an object as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('');
  return Object.getPrototypeOf(value) === Object.prototype ? JSON.stringify(value) : String(value);
}

const ENGINES = { html: createEngine('html'), text: createEngine('text') };
export type Output = keyof typeof ENGINES;

/** Liquid that does not parse. `message` has the line and the tag, like `line 2, {{ name | shout }}: undefined filter: shout`. */
export class LiquidFault extends Error {
  override readonly name = 'LiquidFault';
}

/** Parses a source; `html` escapes what it writes, `text` does not. Throws LiquidFault. */
export function parseLiquid(source: string, output: Output = 'text'): Template[] {
  try {
    return ENGINES[output].parse(source);
  } catch (error) {
    throw new LiquidFault(faultMessage(error));
  }
}

/** The source cut into text, outputs and tags, white-space control applied to the text. Throws LiquidFault. */
export function tokenizeLiquid(source: string): TopLevelToken[] {
  const { options } = ENGINES.text;
  try {
    return new Tokenizer(source, options.operators).readTopLevelTokens(options);
  } catch (error) {
    throw new LiquidFault(faultMessage(error));
  }
}

/** Runs a parsed template within RENDER_LIMITS. Throws LiquidFault, whose message names no value of the data. */
export function runLiquid(templates: Template[], variables: object, output: Output): string {
  const { options, renderer } = ENGINES[output];
  const context = new Context(variables, options, { sync: true }, { liquid: ENGINES[output] });
  const budget = context.setRegister(BUDGET, { left: RENDER_LIMITS.characters }) as { left: number };
  try {
    return toValueSync(renderer.renderTemplates(templates, context, new BoundedEmitter(budget))) as string;
  } catch (error) {
    throw new LiquidFault(faultMessage(error));
  }
}

/** liquidjs ends its messages with `, line:1, col:3`; the line goes first here and the tag is named. */
function faultMessage(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).replace(/, (?:file:.*?, )?line:\d+, col:\d+$/s, '');
  if (!LiquidError.is(error)) return message;
  const { token } = error;
  const line = token.getPosition()[0];
  const tag = /\{[{%][\s\S]*?[%}]\}/.exec(token.input.slice(startOfTag(token.input, token.begin)))?.[0];
  return [`line ${line}`, tag && shorten(tag)].filter(Boolean).join(', ').concat(`: ${message}`);
}

/** Errors inside a tag point at the part that is wrong; the tag itself begins at the last opening before it. */
function startOfTag(input: string, at: number): number {
  return Math.max(input.lastIndexOf('{{', at), input.lastIndexOf('{%', at), 0);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
