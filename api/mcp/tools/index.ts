import type { Tool } from '../tool.ts';
import { tools as activations } from './activations.ts';
import { tools as campaigns } from './campaigns.ts';
import { tools as emails } from './emails.ts';
import { tools as explaining } from './explain-email.ts';
import { tools as people } from './people.ts';
import { tools as project } from './project.ts';
import { tools as segments } from './segments.ts';
import { tools as sequences } from './sequences.ts';
import { tools as several } from './several.ts';
import { tools as templates } from './templates.ts';

/** In the order in which they are listed. */
export const tools: readonly Tool[] = [
  ...project,
  ...people,
  ...explaining,
  ...emails,
  ...campaigns,
  ...sequences,
  ...activations,
  ...templates,
  ...segments,
  ...several,
];
