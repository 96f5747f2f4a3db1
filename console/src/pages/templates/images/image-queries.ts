import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client.ts';

export type UploadedImage = Schemas['Image'];

/** All queries of pictures begin with it. */
export const IMAGES = ['images'] as const;

const A_PAGE = 24;

/** Uploaded pictures, the newest first, page by page. */
export function imagesQuery() {
  return infiniteQueryOptions({
    queryKey: [...IMAGES, 'list'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/images', { params: { query: { limit: A_PAGE, ...(pageParam ? { cursor: pageParam } : {}) } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 0,
  });
}

/** Publishes a picture. Throws Failure. */
export function uploadImage(file: File): Promise<UploadedImage> {
  const form = new FormData();
  form.append('file', file, file.name);
  return answerOf(api.POST('/images', { body: { file: '' }, bodySerializer: () => form }));
}

export async function deleteImage(id: string): Promise<void> {
  await answerOf(api.DELETE('/images/{id}', { params: { path: { id } } }));
}
