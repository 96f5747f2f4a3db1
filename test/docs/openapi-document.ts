import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { api } from '../support/api.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
export type Document = any;

export interface LoadedDocument {
  readonly document: Document;
  /** Compiles schemas whose references are within the document under the name `api`. */
  readonly ajv: Ajv2020;
  /** Of the schema at a place of the document, to which these names lead; compiled once, however often it is asked for. */
  validatorOf(...place: readonly string[]): ValidateFunction;
  operationOf(method: string, path: string): Document;
}

/** The OpenAPI document as the server answers it. */
export async function loadDocument(): Promise<LoadedDocument> {
  const document: Document = (await api().get('/openapi.json')).body;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  return {
    document,
    ajv,
    validatorOf(...place) {
      const pointer = place.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
      const validate = ajv.getSchema(`api#/${pointer}`);
      if (!validate) throw new Error(`the document has no schema at /${pointer}`);
      return validate as ValidateFunction;
    },
    operationOf: (method, path) => document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method],
  };
}

/** Each operation of a document, by its method and path. */
export function operationsOf(document: Document): { readonly name: string; readonly operation: Document }[] {
  return Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );
}
