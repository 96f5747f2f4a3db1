import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useMemo, useState } from 'react';
import classes from './preview-frame.module.css';

/** Until the mail is laid out; less than any mail needs, since a document is never less high than its frame. */
const FIRST_HEIGHT = 120;

/** In the place of an image, with what it shows. */
const IMAGE_BOX = `box-sizing: border-box; display: inline-flex; align-items: center; justify-content: center; width: 100%; min-height: 56px;
  padding: 8px; border: 1px dashed; font: 13px/1.4 sans-serif; text-align: center; opacity: 0.7`;

interface Given {
  readonly html: string;
  /** Of the screen that it is read on, in pixels; it is made smaller where there is less room. */
  readonly width: number;
  /** What the reader's system prefers. */
  readonly scheme: 'light' | 'dark';
  /** For screen readers. */
  readonly title: string;
}

/** A mail as its reader sees it, in a frame of its own without scripts. Its links lead nowhere: their addresses are shown on hover. */
export function PreviewFrame({ html, width, scheme, title }: Given): ReactNode {
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const { ref, width: room } = useElementSize();
  const content = useMemo(() => framed(html), [html]);
  const scale = room > 0 ? Math.min(1, room / width) : 1;
  return (
    <div ref={ref} className={classes.viewport} style={{ height: height * scale, maxWidth: width }}>
      <iframe
        // Another document for another scheme or width, so that its height is measured again.
        key={`${scheme} ${width}`}
        title={title}
        sandbox="allow-same-origin"
        srcDoc={content}
        className={classes.frame}
        style={{ width, height, transform: `scale(${scale})`, colorScheme: scheme }}
        onLoad={({ currentTarget }) => setHeight(laidOut(currentTarget))}
      />
    </div>
  );
}

/**
 * The frame has the policy of the page. So style elements get its nonce, style attributes are put aside until laidOut() sets them, and images of
 * other hosts are not asked for.
 */
function framed(html: string): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? '';
  return html
    .replace(/<style\b/gi, `<style nonce="${nonce}"`)
    .replace(/(<[a-z][^<>]*?)\sstyle="/gi, '$1 data-style="')
    .replace(/(<img\b[^<>]*?)\ssrc="(?!data:)/gi, '$1 data-src="')
    .replace(/(<a\b[^<>]*?)\shref="/gi, '$1 title="');
}

/** Sets the styles of a framed mail. Returns how high it is then, in pixels. */
function laidOut({ contentDocument }: HTMLIFrameElement): number {
  if (!contentDocument) return FIRST_HEIGHT;
  for (const element of contentDocument.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset.style ?? '';
  }
  for (const image of contentDocument.querySelectorAll<HTMLImageElement>('img[data-src]')) {
    // A dot that counts openings is nothing to see.
    if (image.getAttribute('width') === '1') continue;
    const box = contentDocument.createElement('span');
    box.textContent = image.alt || 'Image';
    box.style.cssText = IMAGE_BOX;
    box.style.maxWidth = `${image.getAttribute('width') ?? ''}px`;
    image.replaceWith(box);
  }
  return contentDocument.documentElement.scrollHeight;
}
