import type { Block } from './content.ts';

/** What the content gives to the mail waits here while MJML runs, so MJML reads nothing but the layout below. */
export class Slots {
  readonly #sources: string[] = [];
  readonly #places: ReadonlyMap<Block, string>;

  /** `places`: of the blocks that are marked. */
  constructor(places: ReadonlyMap<Block, string>) {
    this.#places = places;
  }

  /** HTML of a block, between comments that say which it is, where it is to be found again. */
  marked(block: Block, html: string): string {
    const place = this.#places.get(block);
    return place === undefined ? html : `<!--block ${place}-->${html}<!--/block-->`;
  }

  /** The same of MJML. */
  markedMjml(block: Block, mjml: string): string {
    const raw = (comment: string): string => `<mj-raw>${this.hold(comment)}</mj-raw>`;
    const place = this.#places.get(block);
    return place === undefined ? mjml : `${raw(`<!--block ${place}-->`)}${mjml}${raw('<!--/block-->')}`;
  }

  /** Takes Liquid source of escaped HTML; returns what stands for it in MJML, in text and in attributes. */
  hold(source: string): string {
    return `@@${this.#sources.push(source) - 1}@@`;
  }

  fill(html: string): string {
    return html.replace(/@@(\d+)@@/g, (_, index: string) => this.#sources[Number(index)]!);
  }
}
