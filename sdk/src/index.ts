export { Everpost, type Result, type SafeOperations } from './client.js';
export { type ErrorCode, type EverpostError, type EverpostErrorOf, isEverpostError } from './errors.js';
export type { AnswerOf, BodyOf, OperationName, Operations, QueryOf, Schema, WebhookEvent, WebhookEventOf } from './generated/operations.js';
export type { CallOptions, ClientOptions, KeyedCallOptions } from './options.js';
export type { Pages } from './pages.js';
export type { TypedBatch, TypedMail, TypedTemplates } from './typed-templates.js';
export { type ReceivedWebhook, type VerifyOptions, verifyWebhook, WebhookVerificationError } from './webhooks.js';
