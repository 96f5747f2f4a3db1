import type { Vault } from '../../domain/crypto.ts';
import { RenderFailed, renderMail } from '../../domain/template/render.ts';
import { type ContactVariables, mailVariables } from '../../domain/template/variables.ts';
import { unsubscribeUrl } from '../../domain/unsubscribe-token.ts';
import { finishMail } from '../../platform/mail/finish.ts';
import { InvalidMail } from '../../platform/mail/header.ts';
import { messageIdOf } from '../../platform/mail/mime.ts';
import type { WireFormat } from '../../platform/mail/provider.ts';
import { trackHtml } from '../../platform/mail/track.ts';
import type { Composed, ComposeRequest, Composer } from './composer.ts';

export function createInlineComposer(deps: { format: WireFormat; vault: Vault; publicUrl: string }): Composer {
  const { vault, publicUrl, format } = deps;
  const one = (r: ComposeRequest): Composed => {
    try {
      const link = r.unsubscribe && unsubscribeUrl(publicUrl, r.unsubscribe.linkSecret, r.unsubscribe.contactId, r.sendId);
      const variables = mailVariables({
        data: r.data,
        contact: r.contactJson === null ? null : (JSON.parse(r.contactJson) as ContactVariables),
        event: r.event,
        brand: r.brand,
        recipientEmail: r.to,
        unsubscribeUrl: link,
        now: new Date(r.now),
      });
      const rendered = renderMail(r.template.compiled, { subject: r.subject, variables, type: r.type });
      const html = r.isTracked ? trackHtml(rendered.html, { vault, publicUrl, sendId: r.sendId }) : rendered.html;
      const headers: Record<string, string> = link
        ? {
            'List-Unsubscribe': `<${link}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            'List-Id': `<${(r.brand as { slug: string }).slug}.${r.from.email.slice(r.from.email.lastIndexOf('@') + 1)}>`,
            Precedence: 'bulk',
          }
        : {};
      const mail = finishMail(format, {
        sendId: r.sendId,
        messageId: messageIdOf(r.sendId, r.from.email),
        from: r.from,
        to: r.to,
        ...(r.replyTo ? { replyTo: r.replyTo } : {}),
        subject: rendered.subject,
        html,
        text: rendered.text,
        headers,
        date: new Date(r.now),
      });
      return { ok: true, subject: rendered.subject, missing: rendered.missing, mail };
    } catch (error) {
      if (error instanceof RenderFailed || error instanceof InvalidMail) return { ok: false, message: error.message };
      throw error;
    }
  };
  return { compose: async (page) => page.map(one), close: async () => undefined };
}
