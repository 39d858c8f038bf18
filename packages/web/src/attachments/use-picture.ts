import { useEffect, useState } from 'react'
import { shownContent } from '../files/history/shown-content.ts'

/** Loads the bytes of a picture. Pass the same function for the same picture. */
export type LoadBytes = () => Promise<Uint8Array>

export type Picture = { is: 'none' } | { is: 'loading' } | { is: 'there'; url: string }

/** The picture that `load` gives, while the component is mounted; `none` for null and for bytes that are no picture. */
export function usePicture(load: LoadBytes | null, mimeType: string | undefined): Picture {
  const [picture, setPicture] = useState<Picture>({ is: load ? 'loading' : 'none' })
  useEffect(() => {
    let address: PictureAddress | null = null
    let isGone = false
    const show = (bytes: Uint8Array) => {
      if (isGone) return
      address = pictureAddress(bytes, mimeType)
      setPicture(address ? { is: 'there', url: address.url } : { is: 'none' })
    }
    setPicture({ is: load ? 'loading' : 'none' })
    load?.().then(show, () => isGone || setPicture({ is: 'none' }))
    return () => {
      isGone = true
      address?.end()
    }
  }, [load, mimeType])
  return picture
}

/** A URL for `<img>`; `end` frees it. */
type PictureAddress = { url: string; end: () => void }

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
