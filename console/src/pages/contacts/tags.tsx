import type { ReactNode } from 'react';
import classes from './tags.module.css';

/** A contact may have many: `most` are shown, then how many more there are. */
export function Tags({ tags, most = tags.length }: { readonly tags: readonly string[]; readonly most?: number }): ReactNode {
  return (
    <div className={classes.tags}>
      {tags.slice(0, most).map((tag) => (
        <span key={tag} className={classes.tag}>
          <span className={classes.words}>{tag}</span>
        </span>
      ))}
      {tags.length > most ? <span className={classes.more}>+{tags.length - most}</span> : null}
    </div>
  );
}
