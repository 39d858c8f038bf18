import { signInLink } from '@farhand/protocol/schemas/sessions'
import type { CommandNames } from '../../context/command-names.ts'
import type { paint } from '../../terminal/printing/paint.ts'

/** What the user reads when the hub is up. Only the first start prints the token: the hub does not store it in clear. */
export function greeting(
  hub: { url: string; ownerToken: string | null; data: string; code: string | null },
  called: CommandNames,
  { bold, dim, link }: ReturnType<typeof paint>,
): string {
  const { url, ownerToken, data, code } = hub
  // Links are on lines of their own: narrow terminals break other lines, and a broken link cannot be copied.
  const key = ownerToken
    ? [
        `This link is your key, for \`${called.farhand} login\` and for programs. Keep it: it is shown only once.`,
        link(`${url}/#token=${ownerToken}`),
        '',
      ]
    : []
  const signIn =
    code === null
      ? [
          'The disk of its data is full: runs can be read, and nothing can be changed until some space is free.',
        ]
      : [
          'Open this in a browser: it signs in once, within ten minutes.',
          link(signInLink(url, code)),
          dim(`\`${called.farhand} up\` makes another one, also for a phone.`),
        ]
  return [
    `${bold('Farhand')} is running at ${link(url)}`,
    '',
    ...signIn,
    '',
    ...key,
    `Data    ${data}`,
    'Stop    Ctrl-C',
    '',
  ].join('\n')
}
