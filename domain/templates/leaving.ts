/**
 * The source of an output in a text part. One that may write the unsubscribe link is marked, so that a mail which has written it gets no other.
 * `source`: what stands for the Liquid.
 */
export function asMaybeLeaving(source: string, liquid = source): string {
  return liquid.startsWith('{{') && liquid.includes('unsubscribeUrl') ? `{% leaving %}${source}{% endleaving %}` : source;
}
