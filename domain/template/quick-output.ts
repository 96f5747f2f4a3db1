import { type Context, type Filter, type Liquid, Output, Parser, type Token, type TopLevelToken, TypeGuards, toValueSync } from 'liquidjs';

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

/**
 * `{{ path | filter: "literal" }}` evaluated by plain calls. liquidjs walks a chain of generators for every output, which
 * made up most of the time of a mail; anything less simple still goes that way.
 */
class QuickOutput extends Output {
  readonly #quick: Read | undefined = this.#compile();

  override render(context: Context, emitter: Parameters<Output['render']>[1]): IterableIterator<unknown> {
    if (!this.#quick) return super.render(context, emitter);
    emitter.write(this.#quick(context));
    return NOTHING;
  }

  #compile(): Read | undefined {
    const { postfix } = this.value.initial;
    const initial = postfix.length === 1 ? operand(postfix[0]) : undefined;
    if (!initial) return undefined;
    const steps: ((value: unknown, context: Context) => unknown)[] = [];
    for (const filter of this.value.filters as unknown as OpenFilter[]) {
      const args = filter.args.map((arg) => (Array.isArray(arg) ? undefined : operand(arg as Token)));
      if (!args.every((arg) => arg !== undefined)) return undefined;
      const { handler, token, liquid } = filter;
      steps.push((value, context) =>
        toValueSync(handler.call({ context, token, liquid }, value, ...args.map((arg) => arg(context))) as never),
      );
    }
    return (context) => steps.reduce((value, step) => step(value, context), initial(context));
  }
}

/** What a finished output gives to the loop that drives the rendering: nothing more to do. */
const NOTHING = undefined as unknown as IterableIterator<unknown>;

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
  return (context) => {
    let at: unknown = (context as unknown as OpenContext).findScope(String(names[0]));
    for (const name of names) at = context.readProperty(at as object, name);
    return at;
  };
}

/** Parses as liquidjs does, with quick outputs. */
export class QuickParser extends Parser {
  readonly #engine: Liquid;

  constructor(engine: Liquid) {
    super(engine);
    this.#engine = engine;
  }

  override parseToken(token: TopLevelToken, rest: TopLevelToken[]): ReturnType<Parser['parseToken']> {
    const template = super.parseToken(token, rest);
    return template instanceof Output ? new QuickOutput(token as OutputToken, this.#engine) : template;
  }
}
