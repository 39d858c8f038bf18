import type { SignInRequest } from '@farhand/protocol/schemas/sessions'

/** The sign-in request in the fragment of a sign-in link; null for any other address. */
export function keyInUrl(fragment: string): SignInRequest | null {
  const said = new URLSearchParams(fragment.replace(/^#/, ''))
  const [code, token] = [said.get('code'), said.get('token')]
  return code ? { code } : token ? { token } : null
}

/** The address to show instead, so that the key is not left in the address bar or the history. */
export const pathWithoutKey = (path: string): string => (path === '/in' ? '/' : path)
