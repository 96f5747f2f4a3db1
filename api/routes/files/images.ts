import * as z from 'zod';
import { deleteImage, listImages, type UploadedImage } from '../../../db/queries/files/images.ts';
import { notFound } from '../../../domain/errors.ts';
import {
  IMAGE_EXTENSIONS,
  type ImageType,
  imagePath,
  MAX_IMAGE_MB,
  MAX_IMAGE_MEGAPIXELS,
  MAX_IMAGE_SIDE,
  MOST_IMAGES,
} from '../../../domain/files/image.ts';
import { keepImage } from '../../../usecases/files/keep-image.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/image-examples.ts';
import { defineRoute, type PublicContext, type Route } from '../../route.ts';
import { CreatedAt, Cursor, Limit, NextCursor, PathId } from '../../schemas.ts';
import { UPLOAD_SECONDS, withUpload } from '../../spooled-upload.ts';

const TYPES = Object.keys(IMAGE_EXTENSIONS) as [ImageType, ...ImageType[]];

const ImageRecord = z
  .object({
    id: z.uuid().meta({ description: 'What it is deleted by' }),
    url: z.url().meta({ description: 'Public, for `src` of an image block; what is behind it never changes' }),
    filename: z.string().meta({ description: 'As it was uploaded first' }),
    content_type: z.enum(TYPES).meta({ description: 'As its bytes show it' }),
    width: z.int().meta({ description: 'Pixels' }),
    height: z.int().meta({ description: 'Pixels' }),
    size: z.int().meta({ description: 'Bytes' }),
    sha256: z.string().meta({ description: 'Of its bytes, 64 hex digits' }),
    created_at: CreatedAt,
  })
  .meta({ id: 'Image', description: 'A picture for emails, with a public address' });

const upload = defineRoute({
  method: 'post',
  path: '/images',
  scope: 'templates:write',
  summary: 'Upload a picture for emails',
  description:
    `One part named \`file\`, with a filename: a PNG, JPEG, GIF or WebP, by its bytes and not by its name; at most ${MAX_IMAGE_MB} MB, ` +
    `${MAX_IMAGE_SIDE.toLocaleString('en')} pixels a side and ${MAX_IMAGE_MEGAPIXELS} million in all. It is published as it is, under an address ` +
    'with its hash which asks for no key, until it is deleted. The same bytes are one image, so an upload may be repeated. ' +
    `A project has at most ${MOST_IMAGES.toLocaleString('en')} (\`too_many_images\`).`,
  form: z
    .object({ file: z.string().meta({ format: 'binary', description: 'The bytes, with a filename' }) })
    .meta({ id: 'ImageUpload', description: 'A form with one picture' }),
  seconds: UPLOAD_SECONDS,
  status: 201,
  reply: ImageRecord,
  errors: ['too_many_images'],
  examples: examples.upload,
  handle: (context) =>
    withUpload(context, { mostMb: MAX_IMAGE_MB, example: 'logo.png' }, async ({ file, filename }) =>
      shown(context, await keepImage(context.em, context, { projectId: context.project.id, file, filename })),
    ),
});

const list = defineRoute({
  method: 'get',
  path: '/images',
  scope: 'templates:read',
  summary: 'List the uploaded pictures, newest first',
  query: z.object({ limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: z.object({ images: z.array(ImageRecord).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle(context, { query: { limit, cursor } }) {
    const { em, project, vault } = context;
    const scope = { projectId: project.id, list: 'images', filter: {} };
    const page = await listImages(em, project.id, { limit, from: readCursor(vault, scope, cursor), direction: 'next' });
    return { images: page.rows.map((image) => shown(context, image)), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/images/:id',
  scope: 'templates:write',
  summary: 'Delete an uploaded picture',
  description: 'Its address is 404 from then on, in emails that were sent as well: they show what the picture is said to show.',
  params: z.object({ id: PathId.meta({ description: 'Of the image' }) }),
  status: 200,
  reply: z.object({
    id: z.uuid().meta({ description: 'Of the image' }),
    deleted: z.literal(true).meta({ description: 'Nobody gets it any more' }),
  }),
  errors: ['not_found'],
  examples: examples.remove,
  async handle({ em, project }, { params: { id } }) {
    if (!(await deleteImage(em, project.id, id))) notFound('image');
    return { id, deleted: true as const };
  },
});

function shown({ publicUrl }: Pick<PublicContext, 'publicUrl'>, image: UploadedImage): z.output<typeof ImageRecord> {
  const { id, filename, contentType, width, height, size, sha256, createdAt } = image;
  const url = publicUrl + imagePath(image, contentType);
  return { id, url, filename, content_type: contentType, width, height, size, sha256, created_at: createdAt };
}

export const routes: readonly Route[] = [upload, list, remove];
