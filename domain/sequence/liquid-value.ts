import { LiquidFault, parseLiquid, runLiquid } from '../template/liquid.ts';

/** Renders one text. What cannot be rendered becomes the empty text: a run does not stop over it. */
export function renderText(source: string, variables: object): string {
  if (!source.includes('{')) return source;
  try {
    return runLiquid(parseLiquid(source), variables, 'text');
  } catch (error) {
    if (error instanceof LiquidFault) return '';
    throw error;
  }
}

/** A JSON value with every text in it rendered; keys stay as they are. */
export function renderJson(value: unknown, variables: object): unknown {
  return mapTexts(value, (text) => renderText(text, variables));
}

/** Every text in a JSON value, keys left out. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}
