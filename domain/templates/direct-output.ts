import {
  type Context,
  type Filter,
  type Liquid,
  LiquidError,
  Output,
  Parser,
  RenderError,
  type Template,
  type Token,
  type TopLevelToken,
  TypeGuards,
  toValueSync,
} from 'liquidjs';
import type { MailEmitter } from './fixed-text.ts';
import { FixedText } from './fixed-text.ts';
import { type MailContext, TextEmitter } from './mail-context.ts';

type OutputToken = ConstructorParameters<typeof Output>[0];
type Read = (context: Context) => unknown;

/** What liquidjs keeps private and a direct evaluation needs. */
interface OpenFilter {
  readonly handler: (this: object, value: unknown, ...args: unknown[]) => unknown;
  readonly token: Token;
  readonly liquid: object;
  readonly args: Filter['args'];
}
interface OpenContext {
  findScope(name: string): object;
}

/** A template that writes by a plain call. liquidjs walks a chain of generators for every one, which made up most of the time of a mail. */
export interface DirectTemplate extends Template {
  run(context: MailContext, emitter: MailEmitter): void;
}

/** Writes the templates in order. Throws LiquidError, also when the rendering has used up its time. */
export function runTemplates(templates: readonly Template[], context: MailContext, emitter: MailEmitter): void {
  context.tick();
  for (const template of templates) {
    try {
      if ((template as Partial<DirectTemplate>).run) (template as DirectTemplate).run(context, emitter);
      else {
        context.checkTime();
        const written: unknown = toValueSync(template.render(context, emitter));
        if (written) emitter.write(written);
      }
      if (context.breakCalled || context.continueCalled) return;
    } catch (error) {
      throw LiquidError.is(error) ? error : new RenderError(error as Error, template);
    }
  }
}

/** What liquidjs's own tags, like `if` and `for`, run their content with. */
export const directRenderer = {
  renderTemplates(templates: Template[], context: Context, emitter?: MailEmitter): string {
    const into = emitter ?? new TextEmitter(context as MailContext);
    runTemplates(templates, context as MailContext, into);
    return into.buffer;
  },
};

/** `{{ path | filter: "literal" }}` evaluated by plain calls; anything less simple goes liquidjs's way. */
class DirectOutput extends Output {
  readonly run: DirectTemplate['run'] | undefined;

  constructor(token: OutputToken, engine: Liquid) {
    super(token, engine);
    this.run = this.#compile(engine.options.outputEscape as OpenFilter['handler'] | undefined);
  }

  #compile(escaping: OpenFilter['handler'] | undefined): DirectTemplate['run'] | undefined {
    const { postfix } = this.value.initial;
    const initial = postfix.length === 1 ? operand(postfix[0]) : undefined;
    if (!initial) return undefined;
    const steps: ((value: unknown, context: Context) => unknown)[] = [];
    const filters = this.value.filters as unknown as OpenFilter[];
    // The last one of all, and a part of writing: it is quick and takes no arguments.
    const isEscaped = escaping !== undefined && filters.at(-1)?.handler === escaping;
    for (const filter of isEscaped ? filters.slice(0, -1) : filters) {
      const args = filter.args.map((arg) => (Array.isArray(arg) ? undefined : operand(arg as Token)));
      if (!args.every((arg) => arg !== undefined)) return undefined;
      const { handler, token, liquid } = filter;
      steps.push((value, context) =>
        toValueSync(handler.call({ context, token, liquid }, value, ...args.map((arg) => arg(context))) as never),
      );
    }
    return (context, emitter) => {
      let value = initial(context);
      for (const step of steps) {
        context.checkTime();
        value = step(value, context);
      }
      emitter.write(isEscaped ? escaping.call({ context }, value) : value);
    };
  }
}

function operand(token: Token | undefined): Read | undefined {
  if (!token) return undefined;
  if ('content' in token) {
    const { content } = token;
    return () => content;
  }
  return TypeGuards.isPropertyAccessToken(token) && !token.variable ? variable(token.props) : undefined;
}

function variable(props: readonly object[]): Read | undefined {
  return props.every((prop) => 'content' in prop)
    ? readPath(props.map((prop) => (prop as { content: string | number }).content))
    : undefined;
}

/** Reads a variable by the names on its path, as liquidjs does: the innermost scope that has the first name counts. */
export function readPath(names: readonly (string | number)[]): Read {
  const first = String(names[0]);
  return (context) => {
    let at: unknown = (context as unknown as OpenContext).findScope(first);
    for (const name of names) at = context.readProperty(at as object, name);
    return at;
  };
}

/** Parses as liquidjs does, with quick outputs and fixed text. */
export class DirectParser extends Parser {
  readonly #engine: Liquid;

  constructor(engine: Liquid) {
    super(engine);
    this.#engine = engine;
  }

  override parseToken(token: TopLevelToken, rest: TopLevelToken[]): ReturnType<Parser['parseToken']> {
    if (TypeGuards.isHTMLToken(token)) return new FixedText(token, token.getContent()) as Template as ReturnType<Parser['parseToken']>;
    const template = super.parseToken(token, rest);
    return template instanceof Output ? new DirectOutput(token as OutputToken, this.#engine) : template;
  }
}
