import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { MOST_IMPORT_MB } from '../../../api/limits.ts';
import { useForm } from '../../../frame/form.tsx';
import { Page } from '../../../frame/page.tsx';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { FileChoice } from './file-choice.tsx';
import { type ImportDraft, NEW_IMPORT, readingOf, settingsOf } from './import-draft.ts';
import { ImportOptions } from './import-options.tsx';
import { ImportProgress } from './import-progress.tsx';
import {
  beginImport,
  headOf,
  IMPORT_LIST,
  IMPORTS,
  type ImportColumns,
  type ImportSettings,
  importQuery,
  readColumns,
} from './import-queries.ts';
import { sizeWords } from './import-words.ts';
import { type ColumnDraft, columnFaults, draftOfColumns, hasEmail, hasTags } from './mapping-draft.ts';
import { MappingFields } from './mapping-fields.tsx';

const FORM = 'import';
const NO_COLUMNS: readonly ColumnDraft[] = [];

/** A dry run of what is chosen, or of what was. */
interface Tried {
  readonly id: string;
  /** With which settings, but for that it is a dry run. */
  readonly settings: string;
}

/** Chooses a file, says what its columns are, tries it, and imports it. */
export function NewImport(): ReactNode {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [file, setFile] = useState<File>();
  const [draft, setDraft] = useState(NEW_IMPORT);
  const [columns, setColumns] = useState(NO_COLUMNS);
  const [tried, setTried] = useState<Tried>();
  const reading = useReading(setColumns);
  const uploading = useUpload((shown, settings) => {
    void queries.invalidateQueries({ queryKey: IMPORTS });
    if (shown.dry_run) setTried({ id: shown.id, settings });
    else navigate(`/imports/${shown.id}`);
  });
  const found = reading.data;
  const settingsFor = (dryRun: boolean): ImportSettings => settingsOf(draft, found?.delimiter ?? ',', columns, dryRun);
  const begin = (dryRun: boolean): void => {
    if (file) uploading.mutate({ file, settings: settingsFor(dryRun), dryRun });
  };
  const isDry = useRef(false);
  /** What went wrong with other settings is over. */
  const forget = (): void => {
    if (!uploading.isPending) uploading.reset();
  };
  const { props, errorOf } = useForm({
    faults: faultsOf(file, reading.error ? undefined : found, columns),
    error: uploading.error,
    isPending: uploading.isPending || reading.isPending,
    isUnsaved: file !== undefined && !(uploading.isSuccess && !uploading.data.dry_run),
    onSubmit: () => begin(isDry.current),
  });
  const choose = (chosen: File): void => {
    setFile(chosen);
    setTried(undefined);
    uploading.stop();
    forget();
    reading.mutate({ file: chosen, settings: readingOf(draft) });
  };
  const change = (part: Partial<ImportDraft>): void => {
    const next = { ...draft, ...part };
    setDraft(next);
    forget();
    // What the columns are depends on it.
    if (file && ('header' in part || 'delimiter' in part)) reading.mutate({ file, settings: readingOf(next) });
  };
  const press = (dry: boolean) => () => {
    isDry.current = dry;
  };
  return (
    <Page
      title="Import contacts"
      isLong
      back={IMPORT_LIST}
      actions={
        <>
          <Button type="submit" form={FORM} variant="default" disabled={uploading.isPending} onClick={press(true)}>
            Dry run
          </Button>
          <Button type="submit" form={FORM} disabled={uploading.isPending} onClick={press(false)}>
            Import
          </Button>
        </>
      }
    >
      <form id={FORM} {...props}>
        <Stack gap="md">
          {uploading.isPending && file ? <Uploading file={file} sent={uploading.sent} onStop={uploading.stop} /> : null}
          {uploading.error ? <FailureNotice error={uploading.error} placeWords={(path) => placeWords(path)} /> : null}
          <FileChoice file={file} error={errorOf('file') ?? sizeProblem(file)} onChoose={choose} />
          {reading.error ? <FailureNotice error={reading.error} placeWords={(path) => placeWords(path)} /> : null}
          {found && file ? (
            <>
              {errorOf('settings.mapping') ? (
                <Alert color="red" role="alert" ref={intoView}>
                  {errorOf('settings.mapping')}
                </Alert>
              ) : null}
              {tried && !uploading.isPending ? (
                <DryRun tried={tried} isOutdated={tried.settings !== JSON.stringify(settingsFor(false))} />
              ) : null}
              <MappingFields
                columns={columns}
                fields={found.fields}
                onChange={(changed) => {
                  setColumns(changed);
                  forget();
                }}
              />
              <ImportOptions draft={draft} delimiter={found.delimiter} hasTags={hasTags(columns)} errorOf={errorOf} onChange={change} />
            </>
          ) : null}
        </Stack>
      </form>
    </Page>
  );
}

/** What is wrong with the columns may be out of sight of the button that says so. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'center' });
}

function sizeProblem(file: File | undefined): string | undefined {
  return file && file.size > MOST_IMPORT_MB * 1024 * 1024
    ? `This file has ${sizeWords(file.size)}. At most ${MOST_IMPORT_MB} MB: split it`
    : undefined;
}

/** What is missing or wrong, by the name in the request. */
function faultsOf(file: File | undefined, found: ImportColumns | undefined, columns: readonly ColumnDraft[]) {
  const lacksColumns = file && !found ? 'Choose a file whose columns can be read' : undefined;
  return {
    file: file ? (sizeProblem(file) ?? lacksColumns) : 'Choose a file',
    'settings.mapping':
      found && !hasEmail(columns)
        ? 'Choose which column is the email'
        : columnFaults(columns).some((fault) => fault !== undefined)
          ? 'Mend the columns that are marked'
          : undefined,
  };
}

/** A place in the form, as the page has it: a column by its name. */
function placeWords(path: string): string | undefined {
  const column = path.split('settings.mapping.')[1];
  if (column) return column;
  return path === 'file' ? 'File' : path === 'settings.mapping' ? 'Columns' : undefined;
}

/** Reads the columns of a file anew; what was read last stands. */
function useReading(onRead: (columns: readonly ColumnDraft[]) => void) {
  return useMutation({
    mutationFn: async ({ file, settings }: { readonly file: File; readonly settings: ImportSettings }) =>
      readColumns(await headOf(file), file.name, settings),
    onSuccess: (found) => onRead(draftOfColumns(found)),
    onError: () => onRead(NO_COLUMNS),
  });
}

interface Asked {
  readonly file: File;
  readonly settings: ImportSettings;
  readonly dryRun: boolean;
}

/** Uploads a file. `onBegun` is told with which settings, as if it was no dry run. */
function useUpload(onBegun: (shown: Awaited<ReturnType<typeof beginImport>>, settings: string) => void) {
  const [sent, setSent] = useState(0);
  const stopper = useRef(new AbortController());
  const mutation = useMutation({
    mutationFn: ({ file, settings }: Asked) => {
      setSent(0);
      stopper.current = new AbortController();
      return beginImport(file, settings, { onProgress: setSent, signal: stopper.current.signal });
    },
    onSuccess: (shown, { settings }) => onBegun(shown, JSON.stringify({ ...settings, dryRun: false })),
  });
  const isStopped = stopper.current.signal.aborted;
  return { ...mutation, error: isStopped ? null : mutation.error, sent, stop: () => stopper.current.abort() };
}

interface UploadingGiven {
  readonly file: File;
  /** Of 0 to 1. */
  readonly sent: number;
  readonly onStop: () => void;
}

function Uploading({ file, sent, onStop }: UploadingGiven): ReactNode {
  const percent = Math.floor(100 * sent);
  return (
    <Alert color="blue" title="Uploading" role="status">
      <Text size="sm">
        {sent < 1
          ? `${sizeWords(file.size * sent)} of ${sizeWords(file.size)}. Keep this page open until the file is uploaded; after that you can leave it.`
          : 'Uploaded. It begins in a moment.'}
      </Text>
      <Group mt="xs" gap="sm" wrap="nowrap">
        <Progress value={percent} size={8} flex={1} aria-label="Upload" />
        <Button variant="default" onClick={onStop}>
          Stop
        </Button>
      </Group>
    </Alert>
  );
}

/** What a dry run came to, as long as it is of what is chosen. */
function DryRun({ tried: { id }, isOutdated }: { readonly tried: Tried; readonly isOutdated: boolean }): ReactNode {
  const { data: shown, error, refetch } = useQuery(importQuery(id));
  if (error) return <FailureNotice error={error} onRetry={refetch} />;
  if (!shown) return null;
  return (
    <>
      {isOutdated ? (
        <Alert color="orange" role="status">
          This dry run was with other settings. Run it again to see what these come to.
        </Alert>
      ) : null}
      <ImportProgress shown={shown} title="Dry run" />
    </>
  );
}
