import path from 'node:path'
import { linkAround, pathInRun } from '@farhand/device/find-run/run-paths'
import {
  allowPaths,
  choosePathsToAllow,
  heldBackPaths,
  suspiciousAmong,
} from '@farhand/device/first-look/allow-paths'
import { matchHeldBack } from '@farhand/device/first-look/match-held-back'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { WithheldWhy } from '@farhand/sync/disk/rules/withheld-files'
import { type Link, StateFolder } from '@farhand/sync/state/state-folder'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { askYesNo } from '../../terminal/choice/ask-key.ts'
import { suspicionsInWords } from './first-look-in-words.ts'

type Flags = { state?: unknown; json?: unknown; secrets?: unknown }

/**
 * Sends held-back files of a linked folder: all that are named, and of a named folder those that do not look like
 * secrets. Without a path it lists what is held back, and asks.
 */
export const allowCommand = (paths: readonly string[], flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const link = linkAround(state, context, paths[0])
    if (!link)
      throw new Trouble(
        'usage',
        `${path.resolve(context.cwd, paths[0] ?? '')} is in no linked folder.`,
        `\`${context.called.farhand} links\` lists those that are linked.`,
      )
    const place = state.placeOf(link.folder)
    const held = heldBackPaths(link.folder, place)
    if (paths.length === 0) return await showAndAsk(link, held, place, flags, context)
    const named = paths.map((one) => pathInRun(one, link, context))
    const wanted = matchHeldBack(named, [...held.keys()])
    if (wanted.unknown.length > 0)
      throw new Trouble(
        'usage',
        `Not held back: ${wanted.unknown.map(pathInWords).join(', ')}.`,
        `\`${context.called.farhand} allow\` lists what is.`,
      )
    const { allowed, keeps, suspicious } = choosePathsToAllow(link.folder, wanted, flags.secrets === 'send')
    allowPaths(place, allowed)
    if (flags.json) return context.out(`${JSON.stringify({ folder: link.folder, allowed, held: keeps })}\n`)
    if (allowed.length > 0) context.out(`${count(allowed.length, 'path')} will be sent.\n`)
    if (keeps.length === 0) return
    context.note(`${suspicionsInWords(suspicious, context).join('\n')}\n`)
    throw new Trouble(
      'mustAsk',
      `Still held back: ${keeps.map(pathInWords).join(', ')}.`,
      'Name a file by itself to send it, or add --secrets send to send all of them.',
    )
  })

async function showAndAsk(
  link: Link,
  held: ReadonlyMap<string, WithheldWhy>,
  place: string,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  if (flags.json) {
    for (const [one, why] of held) context.out(`${JSON.stringify({ folder: link.folder, path: one, why })}\n`)
    return
  }
  if (held.size === 0) return context.out(`${link.folder} holds nothing back.\n`)
  context.out(`${link.folder} holds back, until you allow it:\n`)
  for (const [one, why] of held) context.out(`  ${pathInWords(one)}  ${words[why]}\n`)
  const suspicious = suspiciousAmong(link.folder, [...held.keys()])
  if (suspicious.length > 0) context.out(`${suspicionsInWords(suspicious, context).join('\n')}\n`)
  if (!context.ask) return
  if (!(await askYesNo('Send all of them to the run? [y/N] ', context)))
    return context.out('They stay here.\n')
  allowPaths(place, [...held.keys()])
  context.out(`${count(held.size, 'path')} will be sent.\n`)
}

const words: Record<WithheldWhy, string> = {
  'newly-included': 'a rule from the run includes it; it was left out before',
  'looks-secret': 'looks like a secret',
}
