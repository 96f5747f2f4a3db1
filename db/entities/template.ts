import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { CompiledContent } from '../../domain/template/compile.ts';
import type { Content } from '../../domain/template/content.ts';

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
    is_draft: p.boolean(),
    content: p.json<Content>(),
    compiled: p.json<CompiledContent>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type TemplateVersionRow = InferEntity<typeof TemplateVersion>;
