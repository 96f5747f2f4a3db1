import { resealAll } from '../../db/queries/projects/sealed-values.ts';
import type { Command } from './command.ts';

/** What is stored sealed with SECRET_KEY. */
export const secretCommands: readonly Command[] = [
  {
    name: 'secrets reseal',
    args: [],
    async run({ em, vault }) {
      return resealAll(await em(), vault());
    },
  },
];
