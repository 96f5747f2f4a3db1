export const NEWS = {
  key: 'newsletter',
  name: 'Monthly newsletter',
  description: 'What is new, on the first of the month',
  defaultOn: true,
  public: true,
};

export const list = [{ answer: { topics: [NEWS] } }] as const;
export const create = [
  { body: { key: NEWS.key, name: NEWS.name, description: NEWS.description, defaultOn: true, public: true }, answer: { topic: NEWS } },
] as const;
export const read = [{ params: { key: NEWS.key }, answer: { topic: NEWS } }] as const;
export const change = [
  { params: { key: NEWS.key }, body: { defaultOn: false }, answer: { topic: { ...NEWS, defaultOn: false } } },
] as const;
export const remove = [{ params: { key: NEWS.key }, answer: { key: NEWS.key, deleted: true } }] as const;
