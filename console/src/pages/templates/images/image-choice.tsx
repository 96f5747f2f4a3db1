import { ActionIcon, Button, Group, Modal, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { useFocusReturn } from '../../../show/focus-return.ts';
import { ownImage } from '../../../show/own-image.ts';
import { deleteImage, IMAGES, imagesQuery, type UploadedImage } from './image-queries.ts';
import classes from './images.module.css';

interface Given {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onTake: (image: UploadedImage) => void;
}

/** Chooses one of the pictures that were uploaded, or takes one away for good. */
export function ImageChoice({ opened, onClose, onTake }: Given): ReactNode {
  const returnFocus = useFocusReturn(opened);
  return (
    <Modal opened={opened} onClose={onClose} onExitTransitionEnd={returnFocus} title="Uploaded images" size="lg">
      <Images onTake={onTake} />
    </Modal>
  );
}

function Images({ onTake }: Pick<Given, 'onTake'>): ReactNode {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(imagesQuery());
  const [doomed, setDoomed] = useState<UploadedImage>();
  const images = data?.pages.flatMap((page) => page.images);
  if (doomed) return <Deletion image={doomed} onEnd={() => setDoomed(undefined)} />;
  if (error) return <FailureNotice error={error} onRetry={refetch} />;
  if (!images) return <Skeleton h={160} />;
  if (images.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No images yet. Images you upload appear here for all templates.
      </Text>
    );
  }
  return (
    <Stack gap="md">
      <ul className={classes.images}>
        {images.map((image) => (
          <li key={image.id}>
            <UnstyledButton className={classes.image} onClick={() => onTake(image)}>
              <span className={classes.picture}>
                <img src={ownImage(image.url)} alt="" loading="lazy" />
              </span>
              <Text size="xs" truncate>
                {image.filename}
              </Text>
              <Text size="xs" c="dimmed">
                {image.width} × {image.height}
              </Text>
            </UnstyledButton>
            <ActionIcon
              size={26}
              variant="default"
              className={classes.remove}
              aria-label={`Delete ${image.filename}`}
              onClick={() => setDoomed(image)}
            >
              <IconTrash size={14} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <Button variant="default" w="fit-content" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </Stack>
  );
}

function Deletion({ image, onEnd }: { readonly image: UploadedImage; readonly onEnd: () => void }): ReactNode {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteImage(image.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: IMAGES });
      onEnd();
    },
  });
  return (
    <Stack gap="md">
      <Text size="sm">
        Delete {image.filename}? It is gone from every email that shows it, those that were sent included: they show the text that stands in
        its place.
      </Text>
      {remove.error ? <FailureNotice error={remove.error} /> : null}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onEnd} data-autofocus>
          Keep image
        </Button>
        <Button color="red.8" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete image
        </Button>
      </Group>
    </Stack>
  );
}
