import { Button, FileButton, Group, Stack, TextInput } from '@mantine/core';
import { IconPhotoSearch, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSession } from '../../../session/session.tsx';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { webAddress } from '../rich/web-address.ts';
import { ImageChoice } from './image-choice.tsx';
import { IMAGES, type UploadedImage, uploadImage } from './image-queries.ts';
import { smallerImage } from './smaller-image.ts';

const TAKEN = 'image/png,image/jpeg,image/gif,image/webp';

interface Given {
  readonly label: string;
  readonly description?: string | undefined;
  readonly required?: boolean;
  readonly placeholder: string | undefined;
  readonly value: string;
  readonly problem: ReactNode;
  readonly onType: (src: string) => void;
  /** One was uploaded, or chosen from those that were. */
  readonly onTake: (image: UploadedImage) => void;
}

/** Where a picture is: typed, uploaded, or chosen from those that were uploaded. */
export function ImageSource({ label, description, required = false, placeholder, value, problem, onType, onTake }: Given): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [chooses, setChooses] = useState(false);
  const upload = useMutation({
    mutationFn: async (file: File) => uploadImage(await smallerImage(file)),
    onSuccess: async (image) => {
      onTake(image);
      await queries.invalidateQueries({ queryKey: IMAGES });
    },
  });
  return (
    <Stack gap={6}>
      <TextInput
        label={label}
        description={description}
        required={required}
        placeholder={placeholder}
        value={value}
        error={problem}
        onChange={(event) => onType(event.currentTarget.value)}
        onBlur={() => (webAddress(value) === value ? undefined : onType(webAddress(value)))}
      />
      {may('POST /images') ? (
        <Group gap="xs">
          <FileButton accept={TAKEN} onChange={(file) => file && upload.mutate(file)}>
            {(props) => (
              <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={14} />} loading={upload.isPending}>
                Upload a new one…
              </Button>
            )}
          </FileButton>
          <Button variant="default" size="xs" leftSection={<IconPhotoSearch size={14} />} onClick={() => setChooses(true)}>
            Choose an uploaded one…
          </Button>
          <ImageChoice
            opened={chooses}
            onClose={() => setChooses(false)}
            onTake={(image) => {
              setChooses(false);
              onTake(image);
            }}
          />
        </Group>
      ) : null}
      {upload.error ? (
        <div ref={intoView}>
          <FailureNotice error={upload.error} />
        </div>
      ) : null}
    </Stack>
  );
}

/** What appears below its field may be below the window. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
