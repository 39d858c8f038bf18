import type { SignInRequest } from '@farhand/protocol/schemas/sessions'

/** What the link that signedInUser has followed signs in with; null if it is any other address. */
export function keyInUrl(fragment: string): SignInRequest | null {
  const said = new URLSearchParams(fragment.replace(/^#/, ''))
  const [code, token] = [said.get('code'), said.get('token')]
  return code ? { code } : token ? { token } : null
}

/** The address that is shown in its place: whoever looks over a shoulder, or into the history, finds no key. */
export const pathWithoutKey = (path: string): string => (path === '/in' ? '/' : path)
