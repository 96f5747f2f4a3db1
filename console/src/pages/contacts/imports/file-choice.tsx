import { Button, FileButton, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { MOST_IMPORT_MB, MOST_IMPORT_ROWS } from '../../../api/limits.ts';
import { sizeWords } from './import-words.ts';
import classes from './imports.module.css';

const TAKEN = '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain';

interface Given {
  readonly file: File | undefined;
  readonly error: string | undefined;
  readonly onChoose: (file: File) => void;
}

/** A file of the reader's own: chosen by the button, or dropped. */
export function FileChoice({ file, error, onChoose }: Given): ReactNode {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped) onChoose(dropped);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same for whoever drops nothing
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      data-wrong={error ? true : undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Stack align="center" gap={6} ta="center">
        <Text size="sm" fw={600} role="status" style={{ overflowWrap: 'anywhere' }}>
          {file ? `${file.name}, ${sizeWords(file.size)}` : 'Drop a CSV file here, or choose one'}
        </Text>
        <FileButton accept={TAKEN} onChange={(chosen) => chosen && onChoose(chosen)}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={14} />} aria-invalid={error ? true : undefined}>
              {file ? 'Choose another file' : 'Choose file'}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c={error ? 'var(--mantine-color-error)' : 'dimmed'}>
          {error ?? `UTF-8, at most ${MOST_IMPORT_MB} MB and ${MOST_IMPORT_ROWS.toLocaleString('en')} lines`}
        </Text>
      </Stack>
    </div>
  );
}
