/** Pixels: twice what a mail has room for, so that it is sharp on every screen. */
const WIDEST = 1_200;
const JPEG_QUALITY = 0.85;

/**
 * A picture for mails: a wider one made smaller, WebP made what every mail program shows. GIFs may move and stay as they are, and so does what is
 * no picture: the API says so.
 */
export async function smallerImage(file: File): Promise<File> {
  if (!['image/jpeg', 'image/png', 'image/webp'].includes(file.type)) return file;
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap || (bitmap.width <= WIDEST && file.type !== 'image/webp')) return file;
  const canvas = document.createElement('canvas');
  canvas.width = Math.min(WIDEST, bitmap.width);
  canvas.height = Math.max(1, Math.round((bitmap.height * canvas.width) / bitmap.width));
  const drawing = canvas.getContext('2d');
  if (!drawing) return file;
  drawing.imageSmoothingQuality = 'high';
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const type = file.type === 'image/jpeg' || isOpaqueWebp(file, drawing) ? 'image/jpeg' : 'image/png';
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));
  return blob ? new File([blob], nameAs(file.name, type), { type }) : file;
}

/** A PNG stays one, since its edges are mostly sharp. */
function isOpaqueWebp({ type }: File, drawing: CanvasRenderingContext2D): boolean {
  if (type !== 'image/webp') return false;
  const { data } = drawing.getImageData(0, 0, drawing.canvas.width, drawing.canvas.height);
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

function nameAs(name: string, type: string): string {
  return `${name.replace(/\.[^.]*$/, '')}.${type === 'image/png' ? 'png' : 'jpg'}`;
}
