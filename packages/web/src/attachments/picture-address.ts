import { shownContent } from '../files/history/shown-content.ts'

/** A URL for `<img>`; `end` frees it. */
export type PictureAddress = { url: string; end: () => void }

/**
 * A URL that shows these bytes as a picture; null if they are no picture. The bytes decide, because the declared type may
 * be wrong or a trick. An SVG gets a `data:` URL, which has no origin: opened by itself, it cannot reach our pages.
 */
export function pictureAddress(bytes: Uint8Array, mimeType: string | undefined): PictureAddress | null {
  const shown = shownContent(bytes)
  if (shown.is === 'image') {
    const url = URL.createObjectURL(new Blob([shown.bytes as BlobPart], { type: shown.mimeType }))
    return { url, end: () => URL.revokeObjectURL(url) }
  }
  if (shown.is !== 'text' || mimeType !== 'image/svg+xml') return null
  return { url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(shown.text)}`, end: () => {} }
}
