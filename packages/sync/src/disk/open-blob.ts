import { openAsBlob } from 'node:fs'

/** The contents of a file, read when they are needed; null if it cannot be opened, for which Node throws instead of rejecting. */
export async function openBlob(place: string): Promise<Blob | null> {
  try {
    return await openAsBlob(place)
  } catch {
    return null
  }
}
