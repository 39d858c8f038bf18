import { useEffect, useState } from 'react'
import { type PictureAddress, pictureAddress } from './picture-address.ts'

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
