/** Lets the browser save bytes as a file. */
export function saveFile(name: string, parts: BlobPart[], mimeType: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type: mimeType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has to start before the URL is revoked.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
