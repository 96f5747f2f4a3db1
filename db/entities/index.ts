export * from './audience.ts';
export * from './contact.ts';
export * from './outbox.ts';
export * from './project.ts';
export * from './send.ts';
export * from './sequence.ts';
export * from './template.ts';
export * from './webhook.ts';
