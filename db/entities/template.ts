import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { SendType } from '../../domain/sends/send.ts';
import type { CompiledContent } from '../../domain/templates/compiled-content.ts';
import type { Block, Content } from '../../domain/templates/content.ts';
import type { DataField } from '../../domain/templates/registry-entry.ts';

export const TemplateSetting = defineEntity({
  name: 'TemplateSetting',
  tableName: 'template_settings',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    brand_id: p.text().primary(),
    template: p.text().primary(),
    enabled: p.boolean(),
    subject: p.text().defaultRaw(`''`),
    from_email: p.text().strictNullable(),
    from_name: p.text().strictNullable(),
    updated_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type TemplateSettingRow = InferEntity<typeof TemplateSetting>;

export const TemplateVersion = defineEntity({
  name: 'TemplateVersion',
  tableName: 'template_versions',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    brand_id: p.text().primary(),
    template: p.text().primary(),
    version: p.integer().primary(),
    /** BCP 47; '' is the default. */
    locale: p.text().defaultRaw(`''`),
    is_draft: p.boolean(),
    content: p.json<Content>(),
    compiled: p.json<CompiledContent>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    /**
     * Of a draft: null when it was saved without. Of a published one of a language: its own, '' for that of the default. Of one of the default: what
     * the brand had set when the next was published, and until then null.
     */
    subject: p.text().strictNullable(),
    key_id: p.uuid().strictNullable(),
    /** When a draft was replaced by a version that says something else. */
    replaced_at: p.datetime(3).strictNullable(),
    /** When its language was taken away. */
    retired_at: p.datetime(3).strictNullable(),
  }),
});
export type TemplateVersionRow = InferEntity<typeof TemplateVersion>;

/** A template that a project has made by itself. Never changed: what is edited later are settings, versions and schemas. */
export const ProjectTemplate = defineEntity({
  name: 'ProjectTemplate',
  tableName: 'project_templates',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    key: p.text(),
    type: p.text().$type<SendType>(),
    name: p.text(),
    description: p.text(),
    subject: p.text(),
    data_schema: p.json<readonly DataField[]>(),
    content: p.json<Content>(),
    compiled: p.json<CompiledContent>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ProjectTemplateRow = InferEntity<typeof ProjectTemplate>;

/** The variables of such a template as they were declared later: from version 2 on, the first is the template's own. Never changed. */
export const ProjectTemplateSchema = defineEntity({
  name: 'ProjectTemplateSchema',
  tableName: 'project_template_schemas',
  properties: (p) => ({
    template_id: p.uuid().primary(),
    version: p.integer().primary(),
    data_schema: p.json<readonly DataField[]>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});

/** A block that is kept under a name. What templates began with it is theirs. */
export const SavedBlock = defineEntity({
  name: 'SavedBlock',
  tableName: 'saved_blocks',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    name: p.text(),
    block: p.json<Block>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    updated_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type SavedBlockRow = InferEntity<typeof SavedBlock>;
