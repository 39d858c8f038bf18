import { makeSignInCode } from '@farhand/client/resources/sessions'
import type { HubAccess } from '@farhand/device/account/find-hub'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { signInLink, urlForOthers } from '@farhand/protocol/schemas/sessions'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { QrCodeGenerateResult } from 'uqr'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import { localHubParts } from '../local-hub/local-hub-parts.ts'
import { noPhoneInWords, phoneInWords, upInWords } from './up-in-words.ts'
import { watchKeys } from './watch-keys.ts'

type Flags = {
  hub?: unknown
  token?: unknown
  state?: unknown
  json?: unknown
  qr?: unknown
  lan?: unknown
}

/** Prints a link that signs in a browser; at a terminal, keys show a QR code or a new link. */
export async function upCommand(flags: Flags, context: CommandContext): Promise<void> {
  const state = new StateFolder(stateFolderPath(flags.state, context))
  const hub = await reachable(flags, state, context)
  const own = new LocalHub(state.root)
  const isOwn = own.note?.urls.includes(hub.url) === true
  const newCode = () =>
    makeSignInCode(hub, { signal: context.stop, patienceMs }).catch(asHubTrouble(hub.url, context))
  const made = await newCode()
  if (flags.json) {
    const { code, until, urls } = made
    const links = urls.map((url) => signInLink(url, code))
    return context.out(
      `${JSON.stringify({ url: hub.url, link: signInLink(hub.url, code), code, until, links })}\n`,
    )
  }
  const paints = paint(context.color)
  const showLink = async (one = newCode()) => context.out(upInWords(hub.url, await one, paints))
  const showQr = async () => {
    // Each QR code has its own sign-in code: the one in the link may be used already.
    const { code, urls } = await newCode()
    const url = urlForOthers(urls)
    const { what, next } = noPhoneInWords({ isOwn, isOpen: own.isOpen }, context.called.farhand)
    if (url === null) throw new Trouble('failed', what, next)
    const { encode } = await import('uqr')
    const { data } = encode(signInLink(url, code), { border: 0 })
    const lines = qrInLines(data, context.color)
    if (widthOfQr(data) > context.columns) throw tooNarrow(widthOfQr(data))
    context.out(`\n${lines.join('\n')}\n\n${wrapWords(phoneInWords(url, paints), context.columns)}`)
  }
  await showLink(Promise.resolve(made))
  if (flags.qr) await showQr()
  // A program that reads the output has the link.
  if (context.keyed === null || context.isPiped) return
  context.note('\nq  a QR code for a phone    n  a new link    Ctrl-C  leaves; the hub goes on\n')
  await watchKeys(await context.keyed(), context, {
    q: showQr,
    n: async () => {
      context.out('\n')
      await showLink()
    },
  })
}

const tooNarrow = (columns: number) =>
  new Trouble(
    'failed',
    'This window is too narrow for the QR code.',
    `Make it ${columns} columns wide, and ask for it again.`,
  )

/** The hub. With --lan or --no-lan the local hub is first restarted if its address must change. */
async function reachable(flags: Flags, state: StateFolder, context: CommandContext): Promise<HubAccess> {
  const hub = await hubAccess(flags, state, context, { begins: true })
  if (flags.lan === undefined) return hub
  const own = new LocalHub(state.root)
  if (!own.note?.urls.includes(hub.url))
    throw new Trouble(
      'usage',
      `The hub at ${hub.url} is not one that farhand has started here.`,
      'Start it with --host 0.0.0.0 to let others reach it.',
    )
  if (own.isOpen === (flags.lan === true)) return hub
  const { stopLocalHub } = await import('@farhand/device/local-hub/stop-local-hub')
  // Recorded before the hub stops: any process may start the next one.
  own.isOpen = flags.lan === true
  await stopLocalHub(own, localHubParts(context)).catch((error: unknown) => {
    // The old hub goes on: undo the record, or a later call would think nothing has to change.
    own.isOpen = flags.lan !== true
    throw error
  })
  return await hubAccess({ ...flags, json: true }, state, context, { begins: true })
}

// A phone finds the code only with a light border around it.
const frame = 2
const blackOnWhite = '\x1b[30;107m'
const asBefore = '\x1b[0m'

/**
 * A QR code as terminal lines, two rows per line. With colours it is always dark on light; without them the light
 * squares are drawn, because most terminals are dark.
 */
export function qrInLines(dark: QrCodeGenerateResult['data'], color: boolean): string[] {
  const size = dark.length
  const isDark = (row: number, column: number) => dark[row]?.[column] === true
  const lines: string[] = []
  for (let row = -frame; row < size + frame; row += 2) {
    let line = ''
    for (let column = -frame; column < size + frame; column += 1)
      line += signFor(isDark(row, column) === color, isDark(row + 1, column) === color)
    lines.push(color ? `${blackOnWhite}${line}${asBefore}` : line)
  }
  return lines
}

/** The columns it needs: a phone cannot read a wrapped code. */
export const widthOfQr = (dark: QrCodeGenerateResult['data']): number => dark.length + 2 * frame

const signFor = (isUpper: boolean, isLower: boolean) =>
  isUpper ? (isLower ? '█' : '▀') : isLower ? '▄' : ' '
