import { isUtf8 } from 'node:buffer'
import type { Redaction } from '../events/redaction.ts'

/** The same bytes with marks in place of secrets; null if there are some in what is no text, and would be broken by that. */
export function withoutSecrets(bytes: Buffer, redaction: Redaction): Buffer | null {
  if (redaction.isEmpty) return bytes
  if (isUtf8(bytes) && !bytes.includes(0)) {
    const text = bytes.toString()
    const clean = redaction.text(text)
    return clean === text ? bytes : Buffer.from(clean)
  }
  return redaction.forms.some((form) => bytes.includes(form)) ? null : bytes
}
