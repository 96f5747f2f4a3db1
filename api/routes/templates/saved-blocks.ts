import * as z from 'zod';
import type { SavedBlockRow } from '../../../db/entities/index.ts';
import { deleteSavedBlock, insertSavedBlock, listSavedBlocks, renameSavedBlock } from '../../../db/queries/templates/saved-blocks.ts';
import { type Issue, notFound, Refusal } from '../../../domain/errors.ts';
import { Block, type BlockContent } from '../../../domain/templates/content.ts';
import { isTooLargeToSave, MAX_SAVED_BLOCK_KB, MOST_SAVED_BLOCKS } from '../../../domain/templates/saved-block.ts';
import { MAX_NAME_LENGTH } from '../../../domain/text-lengths.ts';
import type { Authored, Authoring } from '../../../sending/compose/authoring.ts';
import * as examples from '../../examples/saved-block-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { CreatedAt, PathId, Timestamp } from '../../schemas.ts';
import { unlessInvalid } from '../../template-of-brand.ts';

const Name = z
  .string()
  .trim()
  .min(1, { error: `1 to ${MAX_NAME_LENGTH} characters` })
  .max(MAX_NAME_LENGTH, { error: `1 to ${MAX_NAME_LENGTH} characters` })
  .meta({ description: 'For people; no two of a project are the same in another case' });

/** Read by the block schema itself, whose problems are `invalid_content`. */
const BlockBody = z.unknown().nonoptional({ error: 'required' }).meta({ $ref: '#/components/schemas/TemplateBlock' });

const SavedBlockRecord = z
  .object({
    id: z.uuid().meta({ description: 'What it is renamed and deleted by' }),
    name: z.string().meta({ description: 'For people' }),
    block: Block,
    created_at: CreatedAt,
    updated_at: Timestamp.meta({ description: 'When it got its name' }),
  })
  .meta({ id: 'SavedBlock', description: 'A block that is kept under a name, to begin others with' });

const PathOfBlock = z.object({ id: PathId.meta({ description: 'Of the saved block' }) });

const save = defineRoute({
  method: 'post',
  path: '/saved-blocks',
  scope: 'templates:write',
  summary: 'Save a block under a name',
  description:
    `For templates to begin a block with: what is put into one is a copy, and neither knows of later changes of the other. At most ` +
    `${MAX_SAVED_BLOCK_KB} KB; a project has at most ${MOST_SAVED_BLOCKS} (\`too_many_saved_blocks\`), each with a name of its own (\`duplicate_label\`).`,
  body: z.object({ name: Name, block: BlockBody }).meta({ id: 'NewSavedBlockInput', description: 'A block and its name' }),
  status: 201,
  reply: SavedBlockRecord,
  errors: ['invalid_content', 'duplicate_label', 'too_many_saved_blocks'],
  examples: examples.save,
  async handle({ em, project, authoring, newId }, { body: { name, block } }) {
    const kept = await insertSavedBlock(em, {
      ...{ id: newId(), projectId: project.id, name },
      block: await validBlock(authoring, project.id, block),
    });
    if (kept === 'name_taken') throw nameTaken();
    if (kept === 'too_many') throw new Refusal('too_many_saved_blocks', `a project has at most ${MOST_SAVED_BLOCKS} saved blocks`);
    return shown(kept);
  },
});

const list = defineRoute({
  method: 'get',
  path: '/saved-blocks',
  scope: 'templates:read',
  summary: 'List the saved blocks',
  status: 200,
  reply: z.object({ savedBlocks: z.array(SavedBlockRecord).meta({ description: 'All of them, by their names' }) }),
  errors: [],
  examples: examples.list,
  handle: async ({ em, project }) => ({ savedBlocks: (await listSavedBlocks(em, project.id)).map(shown) }),
});

const rename = defineRoute({
  method: 'patch',
  path: '/saved-blocks/:id',
  scope: 'templates:write',
  summary: 'Rename a saved block',
  description: 'What it holds stays: another block is saved anew.',
  params: PathOfBlock,
  body: z.object({ name: Name }).meta({ id: 'SavedBlockInput', description: 'What it is to be called' }),
  status: 200,
  reply: SavedBlockRecord,
  errors: ['not_found', 'duplicate_label'],
  examples: examples.rename,
  async handle({ em, project }, { params: { id }, body: { name } }) {
    const renamed = await renameSavedBlock(em, { id, projectId: project.id, name });
    if (renamed === 'name_taken') throw nameTaken();
    return shown(renamed ?? notFound('saved block'));
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/saved-blocks/:id',
  scope: 'templates:write',
  summary: 'Delete a saved block',
  description: 'Templates that began a block with it keep theirs.',
  params: PathOfBlock,
  status: 200,
  reply: z.object({
    id: z.uuid().meta({ description: 'Of the saved block' }),
    deleted: z.literal(true).meta({ description: 'It is gone' }),
  }),
  errors: ['not_found'],
  examples: examples.remove,
  async handle({ em, project }, { params: { id } }) {
    if (!(await deleteSavedBlock(em, project.id, id))) notFound('saved block');
    return { id, deleted: true as const };
  },
});

/** The block as a template could have it. Throws `invalid_content` with every fault in it. */
async function validBlock(authoring: Pick<Authoring, 'compile'>, author: string, block: unknown): Promise<Block> {
  const authored: Authored = isTooLargeToSave(block) ? { issues: [TOO_LARGE] } : await authoring.compile({ blocks: [block] }, author);
  const { content } = unlessInvalid<Exclude<Authored, { issues: unknown }>>(
    'issues' in authored ? { issues: authored.issues.map(ofBlock) } : authored,
  );
  return (content as BlockContent).blocks[0] as Block;
}

const TOO_LARGE: Issue = { path: 'block', message: `at most ${MAX_SAVED_BLOCK_KB} KB` };

/** As the caller wrote the place. */
function ofBlock({ path, message }: Issue): Issue {
  return { path: path.replace(/^content(?:\.blocks(?:\[0\])?)?/, 'block'), message };
}

function nameTaken(): Refusal {
  return new Refusal('duplicate_label', 'another saved block of this project has this name');
}

function shown({ id, name, block, created_at, updated_at }: SavedBlockRow): z.output<typeof SavedBlockRecord> {
  return { id, name, block, created_at, updated_at };
}

export const routes: readonly Route[] = [save, list, rename, remove];
