/** How to show the bytes of a file. `isUtf8` is false for text that may show some letters wrongly. */
export type ShownContent =
  | { is: 'text'; text: string; isUtf8: boolean }
  | { is: 'image'; bytes: Uint8Array; mimeType: string }
  | { is: 'binary' }

const starts: readonly [mimeType: string, at: number, bytes: string][] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/bmp', 0, 'BM'],
  ['image/avif', 4, 'ftypavif'],
  ['image/x-icon', 0, '\0\0\x01\0'],
]

/** Decides by the bytes alone, because a file name can be wrong. */
export function shownContent(bytes: Uint8Array): ShownContent {
  const image = starts.find(([, at, start]) => hasAt(bytes, at, start))
  const isText = !bytes.subarray(0, 8000).includes(0)
  if (image && !(isText && image[0] === 'image/bmp')) return { is: 'image', bytes, mimeType: image[0] }
  if (!isText) return { is: 'binary' }
  try {
    return {
      is: 'text',
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      isUtf8: true,
    }
  } catch {
    // An older encoding: most letters are the same in all of them.
    return { is: 'text', text: new TextDecoder('windows-1252').decode(bytes), isUtf8: false }
  }
}

/** Whether a path is an SVG file, which can be shown as an image and as text. */
export const isDrawing = (path: string): boolean => /\.svg$/i.test(path)

/** Whether a path is likely an image, before its bytes are fetched. */
export const isPicture = (path: string): boolean => /\.(png|jpe?g|gif|webp|bmp|avif|ico)$/i.test(path)

function hasAt(bytes: Uint8Array, at: number, start: string): boolean {
  if (bytes.length < at + start.length) return false
  for (let n = 0; n < start.length; n += 1) if (bytes[at + n] !== start.charCodeAt(n)) return false
  return true
}
