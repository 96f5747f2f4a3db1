import { Box } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { consolePath } from '../base.ts';

interface Given {
  /** What it shows, for screen readers. */
  readonly title: string;
  /** The whole document of a mail. */
  readonly html: string;
}

const LEAST_HEIGHT = 120;

/**
 * A mail as its reader sees it, in a frame of its own that has no origin, so no access to the console. Images from other hosts are left out.
 * Such a frame follows the color scheme of the system alone; PreviewFrame can be told another.
 */
export function MailFrame({ title, html }: Given): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setIsReady] = useState(false);
  const [height, setHeight] = useState(LEAST_HEIGHT);
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<{ readonly mailFrame?: string; readonly mailHeight?: number }>): void => {
      if (source !== frame.current?.contentWindow) return;
      if (data.mailFrame === 'ready') setIsReady(true);
      if (typeof data.mailHeight === 'number') setHeight(Math.max(LEAST_HEIGHT, data.mailHeight));
    };
    window.addEventListener('message', listen);
    return () => window.removeEventListener('message', listen);
  }, []);
  useEffect(() => {
    // The frame is sandboxed, so it has no origin that could be named here.
    if (isReady) frame.current?.contentWindow?.postMessage({ html }, '*');
  }, [isReady, html]);
  return (
    <Box
      component="iframe"
      ref={frame}
      title={title}
      // Nothing in it can be used: the key Tab goes past, and does not leave the dialog around it.
      tabIndex={-1}
      src={`${consolePath}/mail-frame`}
      sandbox="allow-scripts"
      w="100%"
      h={height}
      style={{ border: 0, colorScheme: 'light', background: '#fff' }}
    />
  );
}
