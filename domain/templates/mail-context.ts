import { AssertionError, Context, type Liquid } from 'liquidjs';
import type { FixedText, MailEmitter } from './fixed-text.ts';
import { RunningTime } from './running-time.ts';
import { textOf } from './value-text.ts';

/** Where the links of one mail lead, for one whose opens and clicks are counted. */
export interface CountedLinks {
  /** What stands in the place of an address of the web, escaped for HTML; undefined: the address stays. */
  counted(url: string): string | undefined;
  /** HTML at the end of the body that counts an open. */
  readonly pixel: string;
}

export interface RenderLimits {
  readonly characters: number;
  /** Of running. */
  readonly milliseconds: number;
  /** In liquidjs's units: about one for each character or element that a filter or a loop makes. */
  readonly memory: number;
}

/** liquidjs calls it where it would count what filters and loops make. */
class WorkingMemory {
  readonly #limit: number;
  used = 0;
  isOver = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  use(count: number): void {
    if (!(+count > 0)) return;
    this.used += +count;
    if (this.used <= this.#limit) return;
    this.isOver = true;
    throw new AssertionError('memory alloc limit exceeded');
  }
}

/** One rendering of one part, with a budget that everything it writes and captures draws on. */
export class MailContext extends Context {
  /** Values are written as they are just now: what is being written gets its escaping as a whole afterwards. */
  isPlain = false;
  /** The part has written where its reader unsubscribes. */
  hasUnsubscribeLink = false;
  readonly links: CountedLinks | undefined;
  readonly #characters: number;
  #left: number;
  readonly #time: RunningTime;
  readonly #memory: WorkingMemory;
  #ticks = 0;

  constructor(variables: object, engine: Liquid, { characters, milliseconds, memory }: RenderLimits, links?: CountedLinks) {
    const [time, working] = [new RunningTime(milliseconds), new WorkingMemory(memory)];
    const renderLimit = time as object as Context['renderLimit'];
    const memoryLimit = working as object as Context['memoryLimit'];
    super(variables, engine.options, { sync: true }, { liquid: engine, renderLimit, memoryLimit });
    this.#time = time;
    this.#memory = working;
    this.#characters = characters;
    this.#left = characters;
    this.links = links;
  }

  /** Which of its limits has ended the rendering, if one has. */
  get exhausted(): keyof RenderLimits | undefined {
    if (this.#time.isOver) return 'milliseconds';
    if (this.#memory.isOver) return 'memory';
    return this.#left < 0 ? 'characters' : undefined;
  }

  get used(): Pick<RenderLimits, 'characters' | 'memory'> {
    return { characters: this.#characters - this.#left, memory: this.#memory.used };
  }

  /** Throws when the rendering has run longer than it may. */
  checkTime(): void {
    this.#time.check();
  }

  /** Looks at the time now and then: for what is done so often that looking would cost more than doing. */
  tick(): void {
    if ((++this.#ticks & 15) === 0) this.checkTime();
  }

  /** Throws when the rendering has written more than it may. */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new AssertionError(`the email is longer than ${this.#characters} characters`);
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
