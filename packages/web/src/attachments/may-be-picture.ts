/** The page fetches larger pictures only on request. Photographs of phones are smaller than this. */
const mostShownBytes = 12 * 1024 * 1024

type About = { name: string; mimeType?: string | undefined; size?: number | undefined }

/** Whether to fetch a file as a picture: its type or name says it is one, and it is not too large. */
export function mayBePicture({ name, mimeType, size }: About): boolean {
  if (size !== undefined && size > mostShownBytes) return false
  if (mimeType) return mimeType.startsWith('image/')
  return /\.(png|jpe?g|gif|webp|avif|bmp|svg)$/i.test(name)
}
