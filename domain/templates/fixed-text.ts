import type { Emitter, Template, TopLevelToken } from 'liquidjs';

/** Stands for `{` in the fixed text of compiled content, where a real one could open a tag. Content has no such character of its own. */
export const BRACE = '\u0003';

/** Text of a template that is the same in every mail. */
export class FixedText implements Template {
  readonly token: TopLevelToken;
  readonly text: string;
  /** What an emitter has made of the text, once for all mails. */
  prepared: unknown;

  constructor(token: TopLevelToken, text: string) {
    this.token = token;
    this.text = text.replaceAll(BRACE, '{');
  }

  run(_: unknown, emitter: MailEmitter): void {
    emitter.writeFixed(this);
  }

  render(_: unknown, emitter: Emitter): void {
    (emitter as MailEmitter).writeFixed(this);
  }
}

/** Takes what a rendering writes. Fixed text comes as the object that it was parsed to, so that it can be made ready once. */
export interface MailEmitter extends Emitter {
  writeFixed(fixed: FixedText): void;
}
