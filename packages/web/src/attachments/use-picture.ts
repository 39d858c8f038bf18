import { useEffect, useState } from 'react'
import { type PictureAddress, pictureAddress } from './picture-address.ts'

/** Gives the bytes of a picture; the same function for the same ones. */
export type LoadBytes = () => Promise<Uint8Array>

export type Picture = { is: 'none' } | { is: 'loading' } | { is: 'there'; url: string }

/** What `load` gives, as a picture, for as long as it is on the page. Null and what cannot be had are none. */
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
