import { Alert, Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface Given {
  readonly title: string;
  readonly says: ReactNode;
  /** Their version, when it is asked for: the title and the content of a dialog. */
  readonly theirs: { readonly title: string; readonly size: number | 'xl'; readonly content: ReactNode };
  /** Goes on with what they saved. */
  readonly onTake: () => void;
  /** Saves all the same; undefined: nothing is changed here, so nothing can be lost. */
  readonly onReplace: (() => void) | undefined;
  /** What that is called. */
  readonly replace?: string;
  readonly isSaving?: boolean;
}

/** Somebody else has saved what is edited here: shows theirs, and asks which is to stay. */
export function SavedMeanwhile({
  title,
  says,
  theirs,
  onTake,
  onReplace,
  replace = 'Overwrite with mine',
  isSaving = false,
}: Given): ReactNode {
  const [isShown, setIsShown] = useState(false);
  return (
    <Alert color="orange" role="alert" title={title}>
      <Text size="sm">{says}</Text>
      <Group mt="xs" gap="xs">
        <Button variant="default" onClick={() => setIsShown(true)}>
          View theirs
        </Button>
        <Button variant="default" onClick={onTake}>
          {onReplace ? 'Use theirs' : 'Continue with it'}
        </Button>
        {onReplace ? (
          <Button variant="default" loading={isSaving} onClick={onReplace}>
            {replace}
          </Button>
        ) : null}
      </Group>
      <Modal opened={isShown} onClose={() => setIsShown(false)} title={theirs.title} size={theirs.size}>
        {theirs.content}
      </Modal>
    </Alert>
  );
}
