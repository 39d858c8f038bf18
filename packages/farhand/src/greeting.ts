import type { paint } from './paint.ts'

/** What a person reads when the hub is up. The token is there on the first start only: it is not kept in clear. */
export function greeting(
  hub: { url: string; ownerToken: string | null; data: string; newToken: string },
  { bold, dim, link }: ReturnType<typeof paint>,
): string {
  const { url, ownerToken, data, newToken } = hub
  const signIn = ownerToken
    ? `${link(`${url}/#token=${ownerToken}`)}\n${dim('            Keep this link: it is your key, and it is shown only once.')}`
    : dim(`with the link of the first start; lost it? ${newToken} makes a new one`)
  const lines = [
    `${bold('Farhand')} is running at ${link(url)}`,
    '',
    `  sign in   ${signIn}`,
    `  data      ${data}`,
  ]
  return [...lines, '  stop      Ctrl-C', ''].join('\n')
}
