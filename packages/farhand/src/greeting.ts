import type { paint } from './paint.ts'

/** What a person reads when the hub is up. The token is there on the first start only: it is not kept in clear. */
export function greeting(
  hub: { url: string; ownerToken: string | null; data: string; newToken: string },
  { bold, dim, link }: ReturnType<typeof paint>,
): string {
  const { url, ownerToken, data, newToken } = hub
  const signIn = ownerToken
    ? // On a line of its own, from its beginning: narrow terminals break a link that is not, and it cannot be copied.
      [
        'Sign in with this link. Keep it: it is your key, and shown only once.',
        link(`${url}/#token=${ownerToken}`),
      ]
    : [dim('Sign in with the link of the first start. Lost it? This makes a new one:'), dim(newToken)]
  const lines = [`${bold('Farhand')} is running at ${link(url)}`, '', ...signIn, '']
  return [...lines, `Data    ${data}`, 'Stop    Ctrl-C', ''].join('\n')
}
