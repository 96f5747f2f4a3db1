import { type ReactNode, useRef } from 'react';
import classes from '../sequences.module.css';

interface Given {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A long text of JSON with the numbers of its lines, which faults are told by. */
export function JsonText({ label, value, onChange }: Given): ReactNode {
  const numbers = useRef<HTMLPreElement>(null);
  const count = value.split('\n').length;
  return (
    <div className={classes.json}>
      <pre ref={numbers} className={classes.lines} aria-hidden>
        {Array.from({ length: count }, (_, index) => index + 1).join('\n')}
      </pre>
      <textarea
        aria-label={label}
        className={classes.text}
        spellCheck={false}
        // A line that went on below would be two beside one number.
        wrap="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={({ currentTarget }) => numbers.current?.scrollTo({ top: currentTarget.scrollTop })}
      />
    </div>
  );
}
