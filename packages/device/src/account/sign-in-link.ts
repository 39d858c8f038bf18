import { Trouble } from '../trouble/trouble.ts'

/** The address and the token in a sign-in link, or the address alone. */
export function readSignInLink(said: string): { url: string; token?: string } {
  try {
    const { origin, pathname, hash, protocol } = new URL(said)
    if (!/^https?:$/.test(protocol)) throw new Error('another protocol')
    const token = /^#token=(.+)$/.exec(hash)?.[1]
    // The user may have copied the address of a page of the app, or the link for browsers.
    const place = pathname.replace(/\/(in|new|settings|runs(\/.*)?)?\/*$/, '')
    return { url: origin + place, ...(token && { token }) }
  } catch (error) {
    const next = 'It takes an address such as http://127.0.0.1:7717.'
    throw new Trouble('usage', `${JSON.stringify(said)} is not the address of a hub.`, next, error)
  }
}
