import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { consolePath } from '../base.ts';
import { ownImage } from './own-image.ts';
import classes from './preview-frame.module.css';

/** Of the screens that mails are shown on, in pixels. */
export const WIDTHS = { phone: 375, desktop: 680 } as const;

/** Until the mail is laid out. */
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
  /** Pictures of other hosts are asked for, who learn of it. */
  readonly showsAll?: boolean;
  /** Told of the mail each time that it is laid out. */
  readonly onShown?: (mail: Document) => void;
  /** What lies upon the mail, in its own pixels. */
  readonly children?: ReactNode;
}

/** A mail as its reader sees it, in a frame of its own without scripts. Its links lead nowhere: their addresses are shown on hover. */
export function PreviewFrame({ html, width, scheme, title, showsAll = false, onShown, children }: Given): ReactNode {
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [mail, setMail] = useState<Document>();
  const { ref, width: room } = useElementSize();
  const scale = room > 0 ? Math.min(1, room / width) : 1;
  useLayoutEffect(() => {
    if (!mail?.defaultView) return;
    show(html, mail, showsAll);
    const measure = (): void => {
      setHeight(Math.ceil(mail.documentElement.getBoundingClientRect().height));
      onShown?.(mail);
    };
    const resized = new ResizeObserver(measure);
    resized.observe(mail.documentElement);
    measure();
    return () => resized.disconnect();
  }, [html, mail, showsAll, onShown]);
  return (
    <div ref={ref} className={classes.viewport} style={{ height: height * scale, maxWidth: width }}>
      <div className={classes.paper} style={{ width, height, transform: `scale(${scale})` }}>
        <iframe
          // Another document for another scheme, since not every browser tells a document that it has changed.
          key={`${scheme} ${showsAll}`}
          title={title}
          // All of it is in sight, and nothing in it can be used: the key Tab goes past.
          tabIndex={-1}
          sandbox="allow-same-origin"
          src={`${consolePath}/preview-frame${showsAll ? '?pictures=all' : ''}`}
          className={classes.frame}
          style={{ width, height, colorScheme: scheme }}
          onLoad={({ currentTarget }) => setMail(currentTarget.contentDocument ?? undefined)}
        />
        {children}
      </div>
    </div>
  );
}

/** Puts a mail in the place of the document. What reads it is of the frame, whose policy takes the styles of mails. */
function show(html: string, into: Document, showsAll: boolean): void {
  const frame = into.defaultView as (Window & typeof globalThis) | null;
  if (!frame) return;
  const mail = new frame.DOMParser().parseFromString(html, 'text/html');
  for (const link of mail.querySelectorAll('a[href]')) {
    link.setAttribute('title', link.getAttribute('href') ?? '');
    link.removeAttribute('href');
  }
  for (const image of mail.querySelectorAll('img')) showImage(image, showsAll);
  into.replaceChild(into.importNode(mail.documentElement, true), into.documentElement);
}

function showImage(image: HTMLImageElement, showsAll: boolean): void {
  const src = image.getAttribute('src') ?? '';
  const own = ownImage(src);
  const width = image.getAttribute('width');
  // A dot that counts openings is nothing to see.
  if (width === '1') image.remove();
  else if (own) image.setAttribute('src', own);
  else if (!src.startsWith('data:') && !(showsAll && /^https?:/i.test(src))) putBox(image, src, width);
}

function putBox(image: HTMLImageElement, src: string, width: string | null): void {
  const box = image.ownerDocument.createElement('span');
  box.textContent = image.alt || 'Image';
  box.dataset.absent = src;
  box.style.cssText = IMAGE_BOX;
  box.style.maxWidth = `${width ?? ''}px`;
  image.replaceWith(box);
}
