import { Input } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import classes from './rich.module.css';
import { RichBar } from './rich-bar.tsx';
import { useRichEditor } from './use-rich-editor.ts';

interface Given {
  readonly label: string;
  /** Markup. */
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (markup: string) => void;
  readonly onMakeList: () => void;
}

/** A text with its marks, as people see it, and the bar that sets them. */
export function RichText({ label, value, problem, onChange, onMakeList }: Given): ReactNode {
  const [asksLink, setAsksLink] = useState(false);
  const problemId = useId();
  const { host, editor } = useRichEditor({
    ...{ label, value, onChange },
    onLink: () => setAsksLink(true),
    ...(problem ? { problemId } : {}),
  });
  return (
    <div>
      <div className={classes.formBar}>
        {editor ? <RichBar label="Format" editor={editor} asksLink={asksLink} onAskLink={setAsksLink} onMakeList={onMakeList} /> : null}
      </div>
      <div ref={host} className={`${classes.text} ${classes.box}`} data-invalid={problem ? true : undefined} />
      {problem ? (
        <Input.Error id={problemId} mt={5}>
          {problem}
        </Input.Error>
      ) : null}
    </div>
  );
}
