import { type ReactNode, useRef, useState } from 'react';
import { BLOCK_KINDS } from '../block-fields.ts';
import type { BlockDraft, ContentDraft } from '../content-draft.ts';
import type { ShownPlaces } from '../template-preview.tsx';
import type { BlockPlace } from './block-places.ts';
import { blockAt, pathOf, withBlock } from './block-tree.ts';
import { InPlace } from './in-place.tsx';
import classes from './preview-blocks.module.css';
import { textField } from './text-field.ts';

interface Given extends ShownPlaces {
  readonly draft: ContentDraft;
  readonly onChange: (change: Partial<ContentDraft>) => void;
}

/** Lies upon the preview: a click on a block edits its text there, or goes to its fields where it has none. */
export function PreviewBlocks({ draft: { blocks }, places, scheme, bar, onChange }: Given): ReactNode {
  const [editedId, setEditedId] = useState<string>();
  const lastPlace = useRef<BlockPlace>(undefined);
  const spots = useRef<HTMLDivElement>(null);
  const path = editedId && pathOf(blocks, editedId);
  const edited = path ? blockAt(blocks, path) : undefined;
  // What cannot be shown just now, like a text that is empty, is edited where it was.
  const place = places.find((one) => one.path === path) ?? (edited ? lastPlace.current : undefined);
  lastPlace.current = place;
  const choose = (block: BlockDraft): void => {
    if (textField(block.block)) setEditedId(block.id);
    else fieldsOf(block)?.focus();
  };
  const end = (isByKey: boolean): void => {
    setEditedId(undefined);
    if (isByKey) requestAnimationFrame(() => spots.current?.querySelector<HTMLElement>(`[data-path="${path}"]`)?.focus());
  };
  return (
    <div ref={spots} className={classes.blocks} data-content>
      {places.map((spot) => {
        const block = blockAt(blocks, spot.path);
        if (!block) return null;
        return (
          <button
            key={block.id}
            type="button"
            className={classes.spot}
            style={{ left: spot.left, top: spot.top, width: spot.width, height: spot.height }}
            aria-label={`Edit ${BLOCK_KINDS[block.block.type].label} here`}
            data-path={spot.path}
            onClick={() => choose(block)}
          />
        );
      })}
      {edited && place ? (
        <InPlace
          key={edited.id}
          block={edited.block}
          place={place}
          scheme={scheme}
          bar={bar}
          onStyle={() => showStyle(edited)}
          onChange={(block) => onChange({ blocks: withBlock(blocks, { ...edited, block }) })}
          onEnd={end}
        />
      ) : null}
    </div>
  );
}

/** Opens how a block looks, in the form. */
function showStyle({ id }: BlockDraft): void {
  const opener = document.querySelector<HTMLElement>(`#${id} [data-style]`);
  if (opener?.getAttribute('aria-expanded') === 'false') opener.click();
  opener?.focus();
  opener?.scrollIntoView({ block: 'nearest' });
}

/** The first field of a block in the form. */
function fieldsOf({ id }: BlockDraft): HTMLElement | null {
  const fields = `#${id} :is(textarea, [contenteditable], input:not([type="file"]))`;
  return document.querySelector<HTMLElement>(fields) ?? document.querySelector<HTMLElement>(`#${id} [data-menu]`);
}
