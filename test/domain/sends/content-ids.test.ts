import { expect, test } from 'vitest';
import { missingContentIds, shownContentIds, unshownContentIds } from '../../../domain/sends/attachments.ts';

test.each([
  ['an image', '<img src="cid:logo">', ['logo']],
  ['in capitals', '<IMG SRC="CID:Pic1">', ['Pic1']],
  ['without quotes', '<img src=cid:logo>', ['logo']],
  ['with entities', '<img src="cid:x&amp;y">', ['x&y']],
  ['percent-encoded', '<img src="cid:a%40b">', ['a@b']],
  ['in a style whose quotes are entities', '<p style="background: url(&quot;cid:bg&quot;)">', ['bg']],
  ['in a comment that Outlook reads', '<!--[if mso]><img src="cid:mso"><![endif]-->', ['mso']],
  ['in another comment', '<!-- cid:old --><img src="cid:new"><!-- cid:end -->', ['new']],
  ['in a comment that never ends', '<!-- cid:old', ['old']],
])('a file that a page shows is known by its whole id: %s', (_, html, ids) => {
  expect(shownContentIds(html)).toEqual(ids);
});

test('a file is neither missed nor told to be unseen where the page writes its id with an entity', () => {
  const html = '<img src="cid:x&amp;y">';
  expect([missingContentIds(html, [{ contentId: 'x&y' }]), unshownContentIds(html, [{ contentId: 'x&y' }])]).toEqual([[], []]);
});
