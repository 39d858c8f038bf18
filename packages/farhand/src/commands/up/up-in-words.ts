import { signInLink } from '@farhand/protocol/schemas/sessions'
import type { paint } from '../../terminal/printing/paint.ts'

export type UpLink = { code: string; urls: readonly string[] }

export function upInWords(url: string, { code }: UpLink, { bold, link }: ReturnType<typeof paint>): string {
  return [
    `${bold('Farhand')} is at ${link(url)}`,
    '',
    'Open this in a browser: it signs in once, within ten minutes.',
    // On its own line from the first column, or it cannot be copied from a narrow window.
    link(signInLink(url, code)),
    '',
  ].join('\n')
}

/** What the user should know about opening the code on a phone. */
export function phoneInWords(url: string, { link }: ReturnType<typeof paint>): string {
  const plain = url.startsWith('http:')
    ? [
        'The phone must be in the same network. Over http others there could read along, and a phone shows no notifications',
        'and does not install the app. A hub with https in front of it (--public-url) can do both.',
      ]
    : []
  return [`It opens ${link(url)} and signs in once, within ten minutes.`, ...plain, ''].join('\n')
}

/** Why a phone cannot reach the hub, and what to do. */
export function noPhoneInWords(
  { isOwn, isOpen }: { isOwn: boolean; isOpen: boolean },
  call: string,
): { what: string; next: string } {
  if (isOwn && isOpen)
    return {
      what: 'A phone cannot reach this hub: this machine is in no network.',
      next: 'Join one, and ask for the QR code again.',
    }
  return {
    what: 'A phone cannot reach this hub: it listens to this machine only.',
    next: isOwn
      ? `\`${call} up --lan\` lets your network reach it, and --no-lan takes that back.`
      : 'Start it with --host 0.0.0.0, or with the --public-url of a server with https in front of it.',
  }
}
