import { readFileSync } from 'node:fs';

/** Of the package, beside which `dist` and `src` lie. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
