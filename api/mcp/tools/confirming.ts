import * as z from 'zod';
import { CONFIRMATION_MINUTES } from '../confirmation.ts';

export const Token = z
  .string()
  .min(1)
  .max(2000)
  .meta({ description: 'The confirmation token of the prepare_ tool, after the user has agreed to what it read back' });

/** The token, and what it is worth. */
export function tokenWords(token: string, tool: string): string[] {
  return [
    'Show this to the user, and go on only when the user agrees.',
    `confirmationToken for ${tool}, good for ${CONFIRMATION_MINUTES} minutes, once, and only while nothing of this changes: ${token}`,
  ];
}
