import { Liquid, LiquidError, type Template, Tokenizer, type TopLevelToken } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { brandColor, inkOn, readableOnDark } from './colors.ts';
import { DirectParser, directRenderer, runTemplates } from './direct-output.ts';
import { escapeHtml } from './escape.ts';
import type { MailEmitter } from './fixed-text.ts';
import {
  ContentTag,
  HeadedTag,
  HeadTag,
  HrefTag,
  LeavingTag,
  LinkedTag,
  LinkTag,
  PictureTag,
  PixelTag,
  PlainCapture,
  ShownTag,
  UnderlinedTag,
  UnlinkedTag,
  UnsubscribeTag,
  UrlTag,
} from './liquid-tags.ts';
import { type CountedLinks, MailContext, type RenderLimits, TextEmitter } from './mail-context.ts';
import { textOf } from './value-text.ts';

/**
 * Limits of one rendered part: enough for any mail, which takes a tenth of a millisecond, and small enough that no template can hold up
 * the others for long. What is slow between two looks at the time is left to the limits of the thread.
 */
export const RENDER_LIMITS = { characters: 1_000_000, milliseconds: 120, memory: 5_000_000 } as const;
const PARSE_LIMIT = 4_000_000;

/** Tags that would read files, write HTML of their own, or change the variables of the mail. */
const REMOVED_TAGS = ['include', 'render', 'layout', 'block', 'tablerow', 'increment', 'decrement'];
/** Filters that write HTML, that get round escaping, or that run text as an expression. */
const REMOVED_FILTERS = [
  ...['raw', 'newline_to_br', 'where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_index_exp', 'find_exp'],
  ...['sample', 'sha256', 'hmac_sha256', 'inspect'],
];
/** Everything is escaped in the end, so these leave the value as it is; templates moved from elsewhere still use them. */
const ESCAPING_FILTERS = ['escape', 'escape_once', 'xml_escape'];

const COMPILED_TAGS = {
  ...{ url: UrlTag, picture: PictureTag, link: LinkTag, linked: LinkedTag, unlinked: UnlinkedTag },
  ...{ shown: ShownTag, headed: HeadedTag, head: HeadTag, underlined: UnderlinedTag, content: ContentTag, pixel: PixelTag },
  ...{ href: HrefTag, leaving: LeavingTag, unsubscribe: UnsubscribeTag },
};

/** `authored` parses what an author wrote, where the tags that only compiled content has are unknown; it is never run. */
function createEngine(output: 'html' | 'text' | 'authored'): Liquid {
  const liquid = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    timezoneOffset: 0,
    locale: 'en-US',
    parseLimit: PARSE_LIMIT,
    ...(output === 'html' && { outputEscape: escapeOutput }),
  });
  Object.assign(liquid, { renderer: directRenderer });
  for (const name of REMOVED_TAGS) delete liquid.tags[name];
  for (const name of REMOVED_FILTERS) liquid.unregisterFilter(name);
  for (const name of ESCAPING_FILTERS) liquid.registerFilter(name, textOf);
  liquid.registerFilter('brand_color', brandColor);
  liquid.registerFilter('ink_on', inkOn);
  liquid.registerFilter('on_dark', readableOnDark);
  liquid.registerTag('capture', PlainCapture);
  if (output !== 'authored') for (const [name, tag] of Object.entries(COMPILED_TAGS)) liquid.registerTag(name, tag);
  const date = liquid.filters.date as DateFilter;
  liquid.registerFilter('date', rememberingDates(date));
  return liquid;
}

function escapeOutput(this: { readonly context: MailContext }, value: unknown): string {
  const text = textOf(value);
  return this.context.isPlain ? text : escapeHtml(text);
}

type DateFilter = (this: unknown, value: unknown, ...args: unknown[]) => unknown;

const MAX_DATES = 500;
/** A date and its format. */
const MAX_DATE_LENGTH = 100;

/** The names of months and days come from Intl, which is slow; a mail has the same date twice, a campaign thousands of times. */
function rememberingDates(format: DateFilter): DateFilter {
  const known = new LRUCache<string, string>({ max: MAX_DATES });
  return function (value, ...args) {
    if (typeof value !== 'string' || !/^\d{4}-/.test(value) || !args.every((arg) => typeof arg === 'string'))
      return format.call(this, value, ...args);
    const key = JSON.stringify([value, ...args]);
    const result = known.get(key) ?? format.call(this, value, ...args);
    if (typeof result === 'string' && key.length <= MAX_DATE_LENGTH && result.length <= MAX_DATE_LENGTH) known.set(key, result);
    return result;
  };
}

const ENGINES = { html: createEngine('html'), text: createEngine('text'), authored: createEngine('authored') };
export type Output = 'html' | 'text';

/** Liquid that does not parse. `message` has the line and the tag, like `line 2, {{ name | shout }}: undefined filter: shout`. */
export class LiquidFault extends Error {
  override readonly name = 'LiquidFault';
}

/** Parses a source; `html` escapes what it writes, `text` does not. Throws LiquidFault. */
export function parseLiquid(source: string, output: Output | 'authored' = 'text'): Template[] {
  try {
    return new DirectParser(ENGINES[output]).parse(source);
  } catch (error) {
    throw new LiquidFault(lineOf(error) + faultMessage(error));
  }
}

/** The source cut into text, outputs and tags, white-space control applied to the text. Throws LiquidFault. */
export function tokenizeLiquid(source: string): TopLevelToken[] {
  const { options } = ENGINES.text;
  try {
    return new Tokenizer(source, options.operators).readTopLevelTokens(options);
  } catch (error) {
    throw new LiquidFault(lineOf(error) + faultMessage(error));
  }
}

/** What a parsed template runs in. */
export function createContext(variables: object, output: Output, links?: CountedLinks, limits: RenderLimits = RENDER_LIMITS): MailContext {
  return new MailContext(variables, ENGINES[output], limits, links);
}

/** Runs a parsed template. Throws LiquidFault, whose message names no value of the data. */
export function writeLiquid(templates: readonly Template[], context: MailContext, emitter: MailEmitter): void {
  try {
    runTemplates(templates, context, emitter);
  } catch (error) {
    throw new LiquidFault(faultMessage(error));
  }
}

/** The same as one text. */
export function runLiquid(templates: readonly Template[], variables: object, output: Output, links?: CountedLinks): string {
  const context = createContext(variables, output, links);
  const emitter = new TextEmitter(context);
  writeLiquid(templates, context, emitter);
  return emitter.buffer;
}

/** liquidjs ends its messages with `, line:1, col:3`; here the tag is named first. */
function faultMessage(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).replace(/, (?:file:.*?, )?line:\d+, col:\d+$/s, '');
  const tag = LiquidError.is(error) && tagOf(error);
  return tag ? `${shorten(tag)}: ${message}` : message;
}

function lineOf(error: unknown): string {
  return LiquidError.is(error) ? `line ${error.token.getPosition()[0]}, ` : '';
}

function tagOf({ token }: LiquidError): string | undefined {
  const start = startOfTag(token.input, token.begin);
  return /^\{[{%][\s\S]*?[%}]\}/.exec(token.input.slice(start, start + 1000))?.[0];
}

/** Errors inside a tag point at the part that is wrong; the tag itself begins at the last opening before it. */
function startOfTag(input: string, at: number): number {
  return Math.max(input.lastIndexOf('{{', at), input.lastIndexOf('{%', at), 0);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
