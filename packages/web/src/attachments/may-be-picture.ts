/** What is larger is not fetched before somebody asks for it. The photographs of phones are smaller. */
const mostShownBytes = 12 * 1024 * 1024

type About = { name: string; mimeType?: string | undefined; size?: number | undefined }

/** Whether it is worth a look at the bytes of a file: it says that it is a picture, and is not too large for that. */
export function mayBePicture({ name, mimeType, size }: About): boolean {
  if (size !== undefined && size > mostShownBytes) return false
  if (mimeType) return mimeType.startsWith('image/')
  return /\.(png|jpe?g|gif|webp|avif|bmp|svg)$/i.test(name)
}
