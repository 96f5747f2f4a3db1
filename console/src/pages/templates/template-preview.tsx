import { Button, Group, Loader, SegmentedControl, Skeleton, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import type { PlaceWords } from '../../show/failure-notice.tsx';
import { PreviewFrame, WIDTHS } from '../../show/preview-frame.tsx';
import { NOWHERE } from './content-draft.ts';
import { type BlockPlace, blockPlaces } from './edit/block-places.ts';
import { PreviewNotes } from './preview-notes.tsx';
import type { Preview } from './template-queries.ts';
import classes from './templates.module.css';

/** Of a short mail, in pixels: what comes below it hardly moves when the mail is there. */
const MAIL_HEIGHT = 440;

/** Where the blocks of a mail are that is shown. */
export interface ShownPlaces {
  readonly places: readonly BlockPlace[];
  readonly scheme: 'light' | 'dark';
  /** For the bar of a text, where it covers nothing of the mail. */
  readonly bar: HTMLElement | null;
}

interface Given {
  /** Beside an error: the last that there was. */
  readonly preview: Preview | undefined;
  readonly isChanging: boolean;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** The screen to begin with, where there is room for both. */
  readonly first?: keyof typeof WIDTHS;
  /** Chooses whom it is for. */
  readonly recipient?: ReactNode;
  /** What lies upon the mail, so that it is changed where it is shown; nothing when omitted. */
  readonly upon?: ((mail: ShownPlaces) => ReactNode) | undefined;
  /** Told while there is nothing to be seen. */
  readonly instead?: string;
  /** What a place in the content is called; as the API has it when omitted. */
  readonly placeWords?: PlaceWords;
}

/** The mail as its readers see it, on a phone and on a desk, in the light and in the dark. */
export function TemplatePreview({
  preview,
  isChanging,
  error,
  onRetry,
  first = 'desktop',
  upon,
  recipient,
  instead,
  placeWords,
}: Given): ReactNode {
  const [screen, setScreen] = useState<keyof typeof WIDTHS>(() => (window.innerWidth < WIDTHS.desktop ? 'phone' : first));
  const own = useComputedColorScheme('light');
  const [chosen, setChosen] = useState<'light' | 'dark'>();
  const scheme = chosen ?? own;
  return (
    <div className={classes.shown}>
      <Panel title="Preview" action={isChanging ? <Loader size={14} role="img" aria-label="Rendering" /> : null}>
        <Stack gap="sm">
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label="Screen"
              data={[
                { value: 'phone', label: 'Phone' },
                { value: 'desktop', label: 'Desktop' },
              ]}
              value={screen}
              onChange={(value) => setScreen(value as keyof typeof WIDTHS)}
            />
            <SegmentedControl
              size="xs"
              aria-label="Color scheme of the reader"
              data={[
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
              value={scheme}
              onChange={(value) => setChosen(value as 'light' | 'dark')}
            />
          </Group>
          {recipient}
          <div>
            <PreviewNotes preview={preview} error={error} onRetry={onRetry} placeWords={placeWords} />
          </div>
          {preview ? (
            <ShownMail preview={preview} width={WIDTHS[screen]} scheme={scheme} isOld={Boolean(error)} upon={upon} />
          ) : isChanging && !error ? (
            <Stack gap="sm" aria-hidden>
              <Skeleton h={18} w="60%" />
              <Skeleton h={MAIL_HEIGHT} />
            </Stack>
          ) : instead && !error ? (
            <Text size="sm" c="dimmed">
              {instead}
            </Text>
          ) : null}
        </Stack>
      </Panel>
    </div>
  );
}

interface MailGiven extends Pick<Given, 'upon'> {
  readonly preview: NonNullable<Given['preview']>;
  readonly width: number;
  readonly scheme: 'light' | 'dark';
  /** What is written now could not be rendered. */
  readonly isOld: boolean;
}

function ShownMail({ preview, width, scheme, isOld, upon }: MailGiven): ReactNode {
  const [showsAll, setShowsAll] = useState(false);
  const [hasAbsent, setHasAbsent] = useState(false);
  const [bar, setBar] = useState<HTMLElement | null>(null);
  const [places, setPlaces] = useState<readonly BlockPlace[]>([]);
  const look = useCallback((mail: Document) => {
    setHasAbsent(mail.querySelector(`[data-absent^="http"]:not([data-absent="${NOWHERE}"])`) !== null);
    setPlaces(blockPlaces(mail));
  }, []);
  return (
    <Stack gap="sm" className={classes.mail} data-old={isOld || undefined}>
      <div className={classes.subject}>
        <Text size="xs" c="dimmed">
          Subject
        </Text>
        <Text size="sm" fw={500}>
          {preview.subject}
        </Text>
      </div>
      {upon ? (
        <div className={classes.formatBar} ref={setBar}>
          <Text size="xs" c="dimmed" className={classes.formatHint}>
            Click a block to edit it.
          </Text>
        </div>
      ) : null}
      <PreviewFrame html={preview.html} width={width} scheme={scheme} title="Preview of the email" showsAll={showsAll} onShown={look}>
        {upon?.({ places, scheme, bar })}
      </PreviewFrame>
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          Links are disabled here. {hasAbsent ? 'External images are hidden, because loading them would notify their hosts.' : ''}
        </Text>
        {hasAbsent || showsAll ? (
          <Button variant="default" size="compact-xs" onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Hide external images' : 'Load external images'}
          </Button>
        ) : null}
      </Group>
    </Stack>
  );
}
