import { expect, test } from 'vitest';
import type { Composed, ComposeTemplate } from '../../../sending/compose/compose-request.ts';
import { createComposer } from '../../../sending/compose/composer.ts';
import { failure, OPTIONS, readMessage, requestFor, templateOf, text } from './composers.ts';

test('the largest data that mails may have, in as many mails as cross to a thread at once, is taken in', async () => {
  const composer = createComposer(OPTIONS);
  const template = await templateOf(text('Hello {{ name }}'));
  // Arrays in arrays take the most memory for each of their bytes.
  const large = Array.from({ length: 80_000 }, () => []);
  const batch = Array.from({ length: 64 }, () => requestFor(template, { data: { name: 'Ada', large } }));
  expect((await composer.compose(batch)).every(({ ok }) => ok)).toBe(true);
  await composer.close();
});

test('a loop ends by itself before its thread has to be ended', async () => {
  const composer = createComposer(OPTIONS);
  const template = await templateOf(text('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}'));
  expect(failure((await composer.compose([requestFor(template)]))[0])).toContain('template render limit exceeded');
  await composer.close();
});

test('a batch of slow mails gives way to other templates after each of them', async () => {
  const composer = createComposer({ ...OPTIONS, threads: 1 });
  const slow = await templateOf(text('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}'));
  const other = await templateOf(text('Other'));
  const done: string[] = [];
  const batch = composer.compose(Array.from({ length: 3 }, () => requestFor(slow))).then(() => done.push('slow'));
  await composer.compose([requestFor(other)]).then(() => done.push('other'));
  await batch;
  expect(done).toEqual(['other', 'slow']);
  await composer.close();
});

test('templates of one line take their turns as one: however many they are, others come between', async () => {
  const composer = createComposer({ ...OPTIONS, threads: 1 });
  const [first, second, third, other] = await Promise.all(['a', 'b', 'c', 'other'].map((name) => templateOf(text(name))));
  const done: string[] = [];
  const mail = async (template: ComposeTemplate, line: string, name: string): Promise<void> => {
    await composer.compose([requestFor({ ...template, line })]);
    done.push(name);
  };
  await Promise.all([
    ...([first, second, third] as ComposeTemplate[]).map((template) => mail(template, 'own', 'own')),
    mail(other as ComposeTemplate, 'other', 'other'),
  ]);
  expect(done).toEqual(['own', 'own', 'other', 'own']);
  await composer.close();
});

test('a content that was given back is empty or stays as it was, and those of the next mails are their own', async () => {
  // It is about memory, not about speed: large mails may take long on a busy machine.
  const composer = createComposer({ ...OPTIONS, mailMs: 60_000 });
  const template = await templateOf(text('{{ name }} {{ more }}'));
  const more = 'and so on '.repeat(30_000);
  const batch = (name: string) =>
    Array.from({ length: 6 }, (_, index) => requestFor(template, { data: { name: `${name} ${index}`, more } }));
  const first = await composer.compose(batch('first'));
  const kept = await composer.compose(batch('kept'));
  const mails = first.flatMap((composed) => (composed.ok ? composed.mail : []));
  composer.recycle(mails);
  composer.recycle(mails);
  const next = [await composer.compose(batch('next')), await composer.compose(batch('next'))];
  // In whatever parts a batch goes: on a busy machine mail by mail, and too little or too much memory is not taken back.
  const isGone = (one: Composed) => one.ok && one.mail.content.length === 0;
  expect(first.some(isGone)).toBe(true);
  for (const [index, one] of first.entries()) if (!isGone(one)) expect(readMessage(one).text).toMatch(new RegExp(`^first ${index} and`));
  for (const [name, composed] of [
    ['kept', kept],
    ['next', next[0]!],
    ['next', next[1]!],
  ] as const)
    for (const [index, one] of composed.entries()) expect(readMessage(one).text).toMatch(new RegExp(`^${name} ${index} and`));
  await composer.close();
});

test('a batch that is closed upon is rejected, and an empty batch is none', async () => {
  const composer = createComposer(OPTIONS);
  expect(await composer.compose([])).toEqual([]);
  const template = await templateOf(text('{{ a | strip_html }}'));
  const batch = composer.compose(Array.from({ length: 300 }, () => requestFor(template)));
  const closing = composer.close();
  await expect(batch).rejects.toThrow();
  await closing;
});
