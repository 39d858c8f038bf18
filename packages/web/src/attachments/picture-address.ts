import { shownContent } from '../files/history/shown-content.ts'

/** An address at which `<img>` finds a picture; `end` gives back what it holds. */
export type PictureAddress = { url: string; end: () => void }

/**
 * Where bytes can be seen as a picture; null if they are none. The bytes decide: what somebody says of them may be
 * wrong, or a trick. A drawing has an address without an origin, so that it has no page of ours to reach, whoever opens
 * it by itself.
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
