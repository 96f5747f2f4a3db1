import { AssertionError, Context, type Emitter, type Liquid } from 'liquidjs';
import type { FixedText } from './fixed-text.ts';
import { RunningTime } from './running-time.ts';
import { textOf } from './value-text.ts';

/** Where the links of one mail lead, for one whose opens and clicks are counted. */
export interface CountedLinks {
  /** What stands in the place of an address of the web, escaped for HTML; undefined: the address stays. */
  counted(url: string): string | undefined;
  /** HTML at the end of the body that counts an open. */
  readonly pixel: string;
}

/** Takes what a rendering writes. Fixed text comes as the object that it was parsed to, so that it can be made ready once. */
export interface MailEmitter extends Emitter {
  writeFixed(fixed: FixedText): void;
}

export interface RenderLimits {
  readonly characters: number;
  /** Of running. */
  readonly milliseconds: number;
}

/** One rendering of one part, with a budget that everything it writes and captures draws on. */
export class MailContext extends Context {
  /** Values are written as they are just now: what is being written gets its escaping as a whole afterwards. */
  isPlain = false;
  readonly links: CountedLinks | undefined;
  readonly #characters: number;
  #left: number;
  #ticks = 0;

  constructor(variables: object, engine: Liquid, { characters, milliseconds }: RenderLimits, links?: CountedLinks) {
    const renderLimit = new RunningTime(milliseconds) as object as Context['renderLimit'];
    super(variables, engine.options, { sync: true }, { liquid: engine, renderLimit });
    this.#characters = characters;
    this.#left = characters;
    this.links = links;
  }

  /** Looks at the time now and then: for what is done so often that looking would cost more than doing. */
  tick(): void {
    if ((++this.#ticks & 15) === 0) this.renderLimit.check(performance.now());
  }

  /** Throws when the rendering has written more than it may. */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new AssertionError(`the mail is longer than ${this.#characters} characters`);
  }
}

/** Collects output as one text. */
export class TextEmitter implements MailEmitter {
  buffer = '';
  readonly #context: MailContext;

  constructor(context: MailContext) {
    this.#context = context;
  }

  write(value: unknown): void {
    const text = textOf(value);
    this.#context.spend(text.length);
    this.buffer += text;
  }

  writeFixed({ text }: FixedText): void {
    this.#context.spend(text.length);
    this.buffer += text;
  }
}
